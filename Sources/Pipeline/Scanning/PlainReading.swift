import JSONText
public import Readings

/// One reading as its JSON has it, read completely and strictly, key by key; ``judge`` then applies
/// the rules of a reading in their order. This is where a reading is defined.
struct PlainReading {
    enum Field: Int, CaseIterable {
        case t, type, latitude, longitude, accuracy, code, value, label, valueText, metadata
        case deviceID

        /// - Parameter key: unescaped.
        init?(_ key: UnsafeBufferPointer<UInt8>) {
            switch key.count {
            case 1 where key.matches("t"): self = .t
            case 3 where key.matches("lat"): self = .latitude
            case 3 where key.matches("lon"): self = .longitude
            case 3 where key.matches("acc"): self = .accuracy
            case 3 where key.matches("val"): self = .value
            case 4 where key.matches("type"): self = .type
            case 4 where key.matches("code"): self = .code
            case 5 where key.matches("label"): self = .label
            case 8 where key.matches("val_text"): self = .valueText
            case 8 where key.matches("metadata"): self = .metadata
            case 9 where key.matches("device_id"): self = .deviceID
            default: return nil
            }
        }
    }

    enum Kind: UInt8 {
        case absent, null, string, escapedString, number, object, other
    }

    /// Where a field's value stands: a string's contents, or the whole of any other value.
    struct Value {
        var kind = Kind.absent
        var range = 0..<0
    }

    let window: Window
    /// From `{` to `}`.
    private(set) var range: Range<Int>
    private var values = InlineArray<11, Value>(repeating: Value())
    private(set) var depth = 1
    private(set) var hasDuplicateKey = false

    subscript(field: Field) -> Value { values[field.rawValue] }

    /// Reads the object that starts at `start`.
    init(_ window: Window, at start: Int) throws(JSONCursor.Stop) {
        self.window = window
        range = start..<start
        var cursor = JSONCursor(window: window, position: start)
        try cursor.expect(0x7B)
        cursor.skipWhitespace()
        if cursor.byte == 0x7D {
            cursor.position += 1
        } else {
            while true {
                let key = try cursor.string()
                cursor.skipWhitespace()
                try cursor.expect(0x3A)
                cursor.skipWhitespace()
                try readValue(&cursor, of: field(key))
                cursor.skipWhitespace()
                if cursor.byte == 0x2C {
                    cursor.position += 1
                    cursor.skipWhitespace()
                    continue
                }
                try cursor.expect(0x7D)
                break
            }
        }
        range = start..<cursor.position
    }

    private func field(_ key: JSONCursor.Text) -> Field? {
        guard key.isEscaped else { return Field(window.text(key.range)) }
        return Unescaped(window.text(key.range)).bytes.withUnsafeBufferPointer { Field($0) }
    }

    @inline(always)
    private mutating func readValue(
        _ cursor: inout JSONCursor, of field: Field?
    ) throws(JSONCursor.Stop) {
        var value = Value()
        let start = cursor.position
        switch cursor.byte {
        case 0x22:
            let text = try cursor.string()
            value.kind = text.isEscaped ? .escapedString : .string
            value.range = text.range
        case 0x2D, 0x30...0x39:
            value.kind = .number
            value.range = try cursor.number()
        case 0x7B, 0x5B:
            value.kind = cursor.byte == 0x7B ? .object : .other
            let inner = try cursor.skipValue(inside: 1)
            depth = max(depth, 1 + inner)
            value.range = start..<cursor.position
        case 0x6E:
            try cursor.literal("null")
            value.kind = .null
        case 0x74:
            try cursor.literal("true")
            value.kind = .other
        case 0x66:
            try cursor.literal("false")
            value.kind = .other
        default:
            throw cursor.stop(at: start)
        }
        guard let field else { return }
        if values[field.rawValue].kind != .absent { hasDuplicateKey = true }
        values[field.rawValue] = value
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these bytes are `text`; the counts are known to be equal.
    @inline(always)
    func matches(_ text: StaticString) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}

/// A stored reading as JSON again, in the wire format: for what PostgreSQL refused after scanning,
/// when the original bytes are gone.
public enum ReadingText {
    /// - Parameters:
    ///   - tuples: one or more COPY BINARY tuples of `kind`.
    ///   - start: index of the tuple's first byte.
    /// - Returns: one object, UTF-8. Scanned again it gives the same tuple.
    public static func json(
        _ kind: ReadingKind, _ tuples: UnsafeRawBufferPointer, at start: Int
    ) -> [UInt8] {
        var fields = Fields(tuples: tuples, offset: start + TupleBuffer.timeOffset - 4)
        let time = Timestamp(microseconds: fields.integer64()).microsecondsText
        var text = "{\"t\":\"\(time)\",\"type\":\"\(kind.name)\""
        var json: [UInt8]
        switch kind {
        case .gps:
            text += ",\"lat\":\(fields.double()),\"lon\":\(fields.double())"
            if let accuracy = fields.next() {
                text += ",\"acc\":\(Fields.double(accuracy))"
            }
            json = Array(text.utf8)
        case .vital:
            text += ",\"code\":\(fields.integer16()),\"val\":\(fields.double())"
            json = Array(text.utf8)
        case .event:
            json = Array(text.utf8)
            append(",\"label\":", fields.next(), to: &json)
            append(",\"val_text\":", fields.next(), to: &json)
            if let metadata = fields.next() {
                json += Array(",\"metadata\":".utf8)
                // Behind the version byte of jsonb.
                json += metadata.dropFirst()
            }
        }
        json.append(0x7D)
        return json
    }

    private struct Fields {
        let tuples: UnsafeRawBufferPointer
        var offset: Int

        mutating func next() -> UnsafeRawBufferPointer? {
            let length = Int(
                Int32(bigEndian: tuples.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            offset += 4
            guard length >= 0 else { return nil }
            defer { offset += length }
            return UnsafeRawBufferPointer(rebasing: tuples[offset..<offset + length])
        }

        mutating func value() -> UnsafeRawBufferPointer {
            guard let field = next() else { preconditionFailure("BUG: NULL at \(offset)") }
            return field
        }

        mutating func integer64() -> Int64 {
            Int64(bigEndian: value().loadUnaligned(as: Int64.self))
        }

        mutating func integer16() -> Int16 {
            Int16(bigEndian: value().loadUnaligned(as: Int16.self))
        }

        mutating func double() -> Double { Self.double(value()) }

        static func double(_ field: UnsafeRawBufferPointer) -> Double {
            Double(bitPattern: UInt64(bigEndian: field.loadUnaligned(as: UInt64.self)))
        }
    }

    private static func append(
        _ key: String, _ field: UnsafeRawBufferPointer?, to json: inout [UInt8]
    ) {
        guard let field else { return }
        json += Array(key.utf8)
        JSONString.append(field, to: &json)
    }
}
