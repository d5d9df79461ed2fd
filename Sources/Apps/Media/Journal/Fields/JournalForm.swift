/// The plain fields of one request. Each is checked as soon as it is complete, so that a request
/// with a bad field need not be read to its end.
///
/// Texts are kept as sent. An empty text counts as absent, because forms send blank inputs that
/// way. A repeated field is rejected, unless it is a list: then the items add up.
struct JournalForm: Sendable {
    /// The most items of a list.
    static let itemsMax = 100
    /// The most UTF-8 bytes of an item.
    static let itemBytesMax = 256
    /// The last millisecond of the year 9999.
    static let createdAtMax: Int64 = 253_402_300_799_999
    /// What `moodIntensity` may be.
    static let intensities = 1...10
    /// Smaller values are seconds: as milliseconds they would lie before 1973-03-03.
    static let secondsBelow = 1e11

    private let kind: JournalKind
    private var seen: Set<JournalField> = []
    /// What has been taken so far.
    private(set) var fields = JournalFields()

    init(_ kind: JournalKind) { self.kind = kind }

    /// The field with a part's name; nil when the kind has no such field.
    func field(named name: String) -> JournalField? {
        JournalField(rawValue: name).flatMap { kind.fields.contains($0) ? $0 : nil }
    }

    /// Takes one part's whole body.
    mutating func take(_ field: JournalField, _ bytes: [UInt8]) throws(FieldFault) {
        guard seen.insert(field).inserted || field.isList else {
            throw FieldFault(field, .repeated)
        }
        guard bytes.count <= field.bytesMax else {
            throw FieldFault(field, .tooLong(bytesMax: field.bytesMax))
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw FieldFault(field, .notText)
        }
        guard !text.isEmpty else { return }
        do throws(FieldFault.Reason) {
            try take(field, text)
        } catch {
            throw FieldFault(field, error)
        }
    }

    /// Takes the items of a list; a comma divides an item, as in a form.
    mutating func take(_ field: JournalField, _ items: [String]) throws(FieldFault) {
        precondition(field.isList, "BUG: \(field) is no list")
        guard items.reduce(0, { $0 + $1.utf8.count }) <= field.bytesMax else {
            throw FieldFault(field, .tooLong(bytesMax: field.bytesMax))
        }
        do throws(FieldFault.Reason) {
            for item in items {
                if field == .tags {
                    try Self.add(item, to: &fields.tags)
                } else {
                    try Self.add(item, to: &fields.interests)
                }
            }
        } catch {
            throw FieldFault(field, error)
        }
    }

    /// The fields, when all parts have been read.
    func validated() throws(FieldFault) -> JournalFields {
        let required: [(JournalField, String?)] =
            switch kind {
            case .upload, .profilePicture: []
            case .mood: [(.mood, fields.mood)]
            case .keepsake: [(.title, fields.title)]
            case .calendarEntry: [(.title, fields.title), (.date, fields.date?.text)]
            }
        for (field, value) in required where value == nil { throw FieldFault(field, .missing) }
        return fields
    }

    private mutating func take(
        _ field: JournalField, _ text: String
    ) throws(FieldFault.Reason) {
        switch field {
        case .mood: fields.mood = try Self.filled(text)
        case .title: fields.title = kind == .upload ? text : try Self.filled(text)
        case .date:
            guard let date = CalendarDate(try Self.filled(text)) else { throw .notDate }
            fields.date = date
        case .note: fields.note = text
        case .reason: fields.reason = text
        case .description: fields.description = text
        case .location: fields.location = text
        case .category: fields.category = text
        case .groupID: fields.groupID = text
        case .tags: try Self.add(text, to: &fields.tags)
        case .interests: try Self.add(text, to: &fields.interests)
        case .moodIntensity: fields.moodIntensity = try Self.intensity(text)
        case .voiceNoteDuration: fields.voiceNoteDuration = try Self.amount(text)
        case .createdAt: fields.createdAt = try Self.milliseconds(text)
        case .keepLocation: fields.keepsLocation = try Self.flag(text)
        }
    }

    private static func filled(_ text: String) throws(FieldFault.Reason) -> String {
        guard !text.allSatisfy(\.isWhitespace) else { throw .missing }
        return text
    }

    private static func add(
        _ text: String, to list: inout [String]
    ) throws(FieldFault.Reason) {
        for piece in text.split(separator: ",") { try add(item: piece, to: &list) }
    }

    private static func add(
        item piece: Substring, to list: inout [String]
    ) throws(FieldFault.Reason) {
        let item = piece.trimmingSpaces
        guard !item.isEmpty else { return }
        guard item.utf8.count <= itemBytesMax else { throw .itemTooLong(bytesMax: itemBytesMax) }
        guard list.count < itemsMax else { throw .tooManyItems(max: itemsMax) }
        list.append(String(item))
    }

    /// Finite and not negative.
    private static func amount(_ text: String) throws(FieldFault.Reason) -> Double {
        guard let value = FormNumber.value(text) else { throw .notNumber }
        guard value.isFinite, value >= 0 else { throw .outOfRange }
        // Turns -0.0 into 0.0.
        return value + 0
    }

    private static func intensity(_ text: String) throws(FieldFault.Reason) -> Int {
        guard let value = FormNumber.value(text) else { throw .notNumber }
        guard value >= Double(intensities.lowerBound), value <= Double(intensities.upperBound)
        else { throw .outOfRange }
        guard value.rounded() == value else { throw .notInteger }
        return Int(value)
    }

    private static func milliseconds(_ text: String) throws(FieldFault.Reason) -> Int64 {
        let value = try amount(text)
        let milliseconds = (value < secondsBelow ? value * 1000 : value).rounded(.down)
        guard milliseconds <= Double(createdAtMax) else { throw .outOfRange }
        return Int64(milliseconds)
    }

    private static func flag(_ text: String) throws(FieldFault.Reason) -> Bool {
        switch text.lowercased() {
        case "true", "1": return true
        case "false", "0": return false
        default: throw .notBoolean
        }
    }
}

extension Substring {
    /// Without white space at either end.
    var trimmingSpaces: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
