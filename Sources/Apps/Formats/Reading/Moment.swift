import HTTP
import JSONText
import Readings

/// When something was, and of which device: what all readings of one message share.
struct Moment {
    /// Seconds or milliseconds since 1970, or a text. None: the scanner says that it is missing.
    private let times: Values
    /// nil: the device of the envelope.
    private let device: String?
    /// nil: the user of the envelope.
    private let user: String?
    /// What the app has sent. A reading without time or place has it as `original`: otherwise the
    /// quarantine would not have what the app deletes after the answer.
    private let source: JSONValue

    /// Longer texts are no times.
    private static let scalarsMax = 64

    /// - Parameters:
    ///   - source: the message, or the part of it that the readings are of.
    ///   - times: what stands there; two are enough to be one too many. All readings of a message
    ///     repeat it, so what is too long to be a time is cut off.
    init(
        of source: JSONValue, times: some Sequence<JSONValue>, device: String? = nil,
        user: String? = nil
    ) {
        self.source = source
        // Longer ids are quarantined, and so is one that is cut off behind the limit.
        self.device = device.map { Self.cut($0, 129) }
        self.user = user.map { Self.cut($0, 129) }
        self.times = Values(times.prefix(2).lazy.map(Self.bounded))
    }

    private static func bounded(_ time: JSONValue) -> JSONValue {
        switch time {
        case .number, .bool, .null: time
        case .string(let text): .string(cut(text, scalarsMax))
        case .noText, .array, .object: .string("no time")
        }
    }

    private static func cut(_ text: String, _ scalarsMax: Int) -> String {
        // No text has more characters than bytes.
        text.utf8.count <= scalarsMax
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(scalarsMax)))
    }

    var hasTime: Bool { !times.isEmpty }

    /// A percentage.
    static let battery = "battery"
    /// The label of events that say how a device moves.
    static let motion = "motion_state"

    /// Begins a reading.
    private func begin(_ kind: ReadingKind, isWhole: Bool = true, in text: inout ReadingsText) {
        text.begin(kind)
        for time in times {
            if let number = time.number {
                text.add("t", number)
            } else {
                text.add("t", time)
            }
        }
        text.add("device_id", device)
        text.add("user_id", user)
        if times.isEmpty || !isWhole { text.add("original", source) }
    }

    /// Adds a position.
    func add(_ position: Position, to text: inout ReadingsText) {
        begin(.gps, isWhole: !position.lat.isEmpty && !position.lon.isEmpty, in: &text)
        position.add(to: &text)
    }

    /// Adds a vital of a name; nothing if there are no values.
    ///
    /// - Parameter convert: returns nil for a number that stands for nothing.
    func add(
        metric: String, _ values: Values, to text: inout ReadingsText,
        _ convert: (Double) -> Double? = { $0 }
    ) {
        add(values, to: &text, convert) { $0.add("metric", metric) }
    }

    /// Adds a vital of a code; nothing if there are no values.
    func add(
        code: Int, _ values: Values, to text: inout ReadingsText,
        _ convert: (Double) -> Double? = { $0 }
    ) {
        add(values, to: &text, convert) { $0.add("code", code) }
    }

    private func add(
        _ values: Values, to text: inout ReadingsText, _ convert: (Double) -> Double?,
        name: (inout ReadingsText) -> Void
    ) {
        let isUnknown = values.allSatisfy { $0.number.map { convert($0) == nil } ?? false }
        guard !isUnknown else { return }
        begin(.vital, in: &text)
        name(&text)
        text.add("val", numbers: values, convert)
    }

    /// Adds an event.
    ///
    /// - Parameter metadata: nil: none.
    func add(
        event label: String?, _ texts: Values = [], metadata: Fields? = nil,
        to text: inout ReadingsText
    ) {
        begin(.event, in: &text)
        text.add("label", label)
        for value in texts { text.add("val_text", value) }
        if let metadata, !metadata.members.isEmpty {
            text.add("metadata", .object(metadata.members))
        }
    }

    /// Adds how a device moves, in one or more words; nothing if there are none.
    func add(motion values: Values, to text: inout ReadingsText) {
        let words = values.flatMap { value -> [JSONValue] in
            if case .array(let words) = value { words } else { [value] }
        }
        guard !words.isEmpty else { return }
        let texts = words.compactMap(\.text)
        add(
            event: Self.motion,
            texts.count == words.count
                ? [.string(texts.joined(separator: ","))] : Values(words),
            to: &text)
    }
}

extension ReadingsText {
    /// Adds a value as it is.
    mutating func add(_ name: StaticString, _ value: JSONValue) {
        if case .number(let number) = value {
            add(name, number)
        } else {
            add(name) { value.append(to: &$0) }
        }
    }

    /// Adds each value, numbers after a conversion.
    ///
    /// - Parameter convert: returns nil for a number that stands for nothing.
    mutating func add(
        _ name: StaticString, numbers values: Values, _ convert: (Double) -> Double?
    ) {
        for value in values {
            if let number = value.number {
                add(name, convert(number))
            } else {
                add(name, value)
            }
        }
    }
}
