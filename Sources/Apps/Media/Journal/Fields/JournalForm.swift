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
    /// Smaller values are seconds: as milliseconds they would lie before 1973-03-03.
    static let secondsBelow = 1e11

    private let kind: JournalKind
    private var seen: Set<JournalField> = []
    private var fields = JournalFields()

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
        for piece in text.split(separator: ",") {
            let item = piece.trimmingSpaces
            guard !item.isEmpty else { continue }
            guard item.utf8.count <= itemBytesMax else {
                throw .itemTooLong(bytesMax: itemBytesMax)
            }
            guard list.count < itemsMax else { throw .tooManyItems(max: itemsMax) }
            list.append(String(item))
        }
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
        guard (1...10).contains(value) else { throw .outOfRange }
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
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

/// Decimal numbers in the texts of forms.
enum FormNumber {
    /// Accepts `12`, `-0.5`, `+1.5e3`, with white space around them.
    ///
    /// - Returns: nil for anything else, also for `inf`, `nan` and hexadecimal. Infinity when the
    ///   number is too large for a double.
    static func value(_ text: String) -> Double? {
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        let number = String(decoding: bytes, as: UTF8.self)
        takeSign(&bytes)
        let whole = takeDigits(&bytes)
        var fraction = 0
        if bytes.first == UInt8(ascii: ".") {
            bytes.removeFirst()
            fraction = takeDigits(&bytes)
            guard fraction > 0 else { return nil }
        }
        guard whole > 0 else { return nil }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            bytes.removeFirst()
            takeSign(&bytes)
            guard takeDigits(&bytes) > 0 else { return nil }
        }
        guard bytes.isEmpty else { return nil }
        return Double(number)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func takeSign(_ bytes: inout ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") {
            bytes.removeFirst()
        }
    }

    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> Int {
        let digits = bytes.prefix { (48...57).contains($0) }.count
        bytes.removeFirst(digits)
        return digits
    }
}

/// A plain field of a form, by the name that clients give it.
enum JournalField: String, Sendable, CaseIterable {
    // The names are those that the apps send.
    case mood, note, reason, tags, interests, moodIntensity, createdAt, voiceNoteDuration
    case title, description, location, date, category
    case groupID = "groupId"
    /// Whether coordinates stay in the files.
    case keepLocation

    /// The most UTF-8 bytes of its value.
    var bytesMax: Int {
        switch self {
        case .mood: 256
        case .title, .location: 1024
        case .note, .reason, .description: 16 << 10
        case .tags, .interests: 8 << 10
        case .category, .groupID: 128
        case .date, .moodIntensity, .createdAt, .voiceNoteDuration, .keepLocation: 64
        }
    }

    /// Whether the values of several parts with its name add up.
    var isList: Bool { self == .tags || self == .interests }
}

/// The checked fields of a form. Only the fields of its kind are ever set.
struct JournalFields: Sendable, Equatable {
    /// Required in a mood.
    var mood: String?
    /// Required in a keepsake and a calendar entry.
    var title: String?
    /// Required in a calendar entry.
    var date: CalendarDate?
    var note: String?
    var reason: String?
    var description: String?
    var location: String?
    var category: String?
    var groupID: String?
    var tags: [String] = []
    var interests: [String] = []
    /// 1 to 10.
    var moodIntensity: Int?
    /// Seconds, finite, not negative.
    var voiceNoteDuration: Double?
    /// Milliseconds since 1970 UTC; nil means now.
    var createdAt: Int64?
    /// Whether coordinates stay in the files.
    var keepsLocation = false
}

/// A field that breaks a rule; the whole request is rejected.
public struct FieldFault: Error, Equatable, Sendable {
    /// As the client named it.
    public let field: String
    /// Which rule it breaks.
    public let reason: Reason

    /// Which rule a field breaks.
    public enum Reason: Error, Equatable, Sendable {
        /// Required, and absent or blank.
        case missing
        /// More than this many bytes of UTF-8.
        case tooLong(bytesMax: Int)
        /// A list with an item of more than this many bytes of UTF-8.
        case itemTooLong(bytesMax: Int)
        /// Not UTF-8, or with U+0000.
        case notText
        /// Not a decimal number.
        case notNumber
        /// A number with a fraction.
        case notInteger
        /// A number outside the field's range.
        case outOfRange
        /// Not a date of ISO 8601.
        case notDate
        /// Not `true`, `false`, `1` or `0`.
        case notBoolean
        /// A list with more items than this.
        case tooManyItems(max: Int)
        /// A field with a single value appears twice.
        case repeated
        /// The request has more parts than this; `field` is empty.
        case tooManyParts(max: Int)
    }

    init(_ field: JournalField, _ reason: Reason) { self.init(named: field.rawValue, reason) }

    /// Names a field or a query parameter.
    public init(named field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }
}
