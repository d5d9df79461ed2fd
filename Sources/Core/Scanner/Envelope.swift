import Readings

/// Reads `metadata`: the device and the user that the readings belong to. As in a reading, `NaN` and
/// `Infinity` are values, and no text.
enum Envelope {
    private enum Field: Int, CaseIterable {
        case deviceID, userID, version, modelName

        var name: StaticString {
            switch self {
            case .deviceID: "device_id"
            case .userID: "user_id"
            case .version: "version"
            case .modelName: "model_name"
            }
        }
    }

    private enum Value {
        case absent, null, other
        case text(JSONCursor.Text)

        var isNull: Bool {
            if case .null = self { true } else { false }
        }
    }

    /// A fault of the envelope, or of the JSON itself.
    enum Stop: Error {
        case json(JSONCursor.Stop)
        case fault(EnvelopeFault)
    }

    /// Reads the object at the cursor, all of its syntax before its values, unless the cache knows
    /// it.
    static func read(
        _ cursor: inout JSONCursor, limits: ReadingLimits, bytesMax: Int, senders: SenderCache?
    ) throws(Stop) -> Sender {
        let start = cursor.position
        let candidate = senders?.candidate(in: cursor.window, at: start)
        if let candidate, let sender = senders?.sender(of: candidate, in: cursor.window) {
            cursor.position = candidate.range.upperBound
            return sender
        }
        var values = InlineArray<4, Value>(repeating: .absent)
        var duplicate: Field?
        var ignored = IgnoredFields()
        do throws(JSONCursor.Stop) {
            try readMembers(&cursor, &ignored) { field, value in
                if case .absent = values[field.rawValue] {
                    values[field.rawValue] = value
                } else if duplicate == nil {
                    duplicate = field
                }
            }
        } catch {
            throw .json(error)
        }
        let window = cursor.window
        do throws(EnvelopeFault) {
            if cursor.position - start > bytesMax { throw .metadataTooLarge(bytesMax: bytesMax) }
            if let duplicate { throw .duplicateKey(field: "\(duplicate.name)") }
            func text(
                _ field: Field, charactersMin: Int, charactersMax: Int
            ) throws(EnvelopeFault) -> String? {
                try Self.text(
                    field, values[field.rawValue], window,
                    charactersMin: charactersMin, charactersMax: charactersMax)
            }
            guard
                let deviceID = try text(
                    .deviceID, charactersMin: 1, charactersMax: limits.deviceIDCharactersMax)
            else { throw .deviceIDMissing }
            let userID = try text(
                .userID, charactersMin: 1, charactersMax: limits.deviceIDCharactersMax)
            let version = try text(
                .version, charactersMin: 0, charactersMax: limits.attributeCharactersMax)
            let modelName = try text(
                .modelName, charactersMin: 0, charactersMax: limits.attributeCharactersMax)
            let range = start..<cursor.position
            let kept = candidate.flatMap { $0.range == range ? $0 : nil }
            let lowerCased = lowerCased(deviceID)
            let sender = Sender(
                deviceID: lowerCased, idKey: DeviceIDKey(of: lowerCased),
                userID: userID ?? lowerCased, namesUser: userID != nil,
                attributes: DeviceAttributes(modelName: modelName, version: version),
                ignored: ignored, envelope: kept == nil ? [] : window.bytes(range))
            if let kept { senders?.keep(sender, for: kept) }
            return sender
        } catch {
            throw .fault(error)
        }
    }

    private static func lowerCased(_ text: String) -> String {
        // Mostly it is lower-case already; the library's function costs more than a reading.
        var text = text
        let mayChange = text.withUTF8 { bytes in
            var found = false
            for byte in bytes where byte >= 0x80 || byte &- 0x41 <= 0x19 { found = true }
            return found
        }
        return mayChange ? text.lowercased() : text
    }

    private static func readMembers(
        _ cursor: inout JSONCursor, _ ignored: inout IgnoredFields, _ take: (Field, Value) -> Void
    ) throws(JSONCursor.Stop) {
        try cursor.expect(0x7B)
        cursor.skipWhitespace()
        if cursor.byte == 0x7D {
            cursor.position += 1
            return
        }
        while true {
            let name = try cursor.string()
            cursor.skipWhitespace()
            try cursor.expect(0x3A)
            cursor.skipWhitespace()
            var value = Value.other
            if cursor.byte == 0x22 {
                value = .text(try cursor.string())
            } else {
                if cursor.byte == 0x6E { value = .null }
                _ = try cursor.skipValue(inside: 1, takesNonFinite: true)
            }
            if let field = Field.allCases.first(where: { cursor.window.is(name, $0.name) }) {
                take(field, value)
            } else if !value.isNull {
                ignored.add(name, cursor.window, inside: "metadata.")
            }
            cursor.skipWhitespace()
            if cursor.byte == 0x2C {
                cursor.position += 1
                cursor.skipWhitespace()
                continue
            }
            try cursor.expect(0x7D)
            return
        }
    }

    /// - Returns: nil when the value is null or absent.
    private static func text(
        _ field: Field, _ value: Value, _ window: Window, charactersMin: Int, charactersMax: Int
    ) throws(EnvelopeFault) -> String? {
        switch value {
        case .absent, .null: return nil
        case .other: throw .notString(field: "\(field.name)")
        case .text(let text)
        where !text.isEscaped && (charactersMin...charactersMax).contains(text.range.count):
            // At most as many characters as bytes; the lower limit is 0 or 1.
            return String(decoding: window.text(text.range), as: UTF8.self)
        case .text(let text):
            let unescaped = Unescaped(window.text(text.range))
            let string = String(decoding: unescaped.bytes, as: UTF8.self)
            let characters = string.unicodeScalars.count
            if characters < charactersMin { throw .empty(field: "\(field.name)") }
            if characters > charactersMax {
                throw .tooLong(field: "\(field.name)", charactersMax: charactersMax)
            }
            if unescaped.hasUnpairedSurrogate || unescaped.hasNul {
                throw .notText(field: "\(field.name)")
            }
            return string
        }
    }
}
