import JSONText
import Readings

/// One reading, parsed completely and strictly, key by key; ``judge(limits:times:fields:)`` then
/// applies the rules of a reading in their order. This is where a reading is defined.
///
/// Python's `json` and others write `NaN`, `Infinity` and `-Infinity`, which JSON does not have. In
/// a reading they are values, so that they cost this reading and not its batch: no field may have
/// one.
struct PlainReading {
    /// A key that some kind of reading uses.
    struct Field {
        /// Index in ``keys``.
        let place: Int

        static let t = Field(place: 0)
        static let type = Field(place: 1)
        static let deviceID = Field(place: 2)
        static let userID = Field(place: 3)
        static let metric = Field(place: 4)

        /// All keys, each once: kinds may share one.
        static let keys: [[UInt8]] = {
            var names = ["t", "type", "device_id", "user_id", "metric"]
            for field in ReadingKind.allCases.flatMap(\.schema.fields)
            where !names.contains(field.name) {
                names.append(field.name)
            }
            precondition(names.count <= countMax, "BUG: keys=\(names.count)")
            return names.map { Array($0.utf8) }
        }()

        /// The fields of each kind's schema, by column.
        static let ofKinds = ByKind<[[(field: Field, schema: ReadingField)]]> { kind in
            kind.schema.fieldColumns.map { column in
                column.fields.compactMap { schema in
                    keys.firstIndex(of: Array(schema.name.utf8)).map { (Field(place: $0), schema) }
                }
            }
        }

        init(place: Int) { self.place = place }

        /// - Parameter key: unescaped.
        init?(_ key: UnsafeBufferPointer<UInt8>) {
            guard
                let place = Self.keys.firstIndex(where: {
                    $0.count == key.count && $0.elementsEqual(key)
                })
            else { return nil }
            self.place = place
        }
    }

    /// The most keys that all kinds together may have.
    private static let countMax = 24

    enum Kind: UInt8 {
        case absent, null, string, escapedString, number, object, other
    }

    /// The position of a field's value: a string's contents, or the whole of any other value.
    struct Value {
        var kind = Kind.absent
        var range = 0..<0
    }

    let window: Window
    /// From `{` to `}`.
    private(set) var range: Range<Int>
    private var values = InlineArray<24, Value>(repeating: Value())
    private(set) var depth = 1
    private(set) var hasDuplicateKey = false
    /// The first keys that no kind of reading uses, of values other than null.
    private(set) var unknown = InlineArray<8, JSONCursor.Text>(
        repeating: JSONCursor.Text(range: 0..<0, isEscaped: false))
    /// How many there are.
    private(set) var unknownCount = 0

    /// How many are in ``unknown`` at most.
    static let unknownMax = 8

    subscript(field: Field) -> Value { values[field.place] }

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
                try readValue(&cursor, of: field(key), key)
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
        _ cursor: inout JSONCursor, of field: Field?, _ key: JSONCursor.Text
    ) throws(JSONCursor.Stop) {
        var value = Value()
        let start = cursor.position
        switch cursor.byte {
        case 0x22:
            let text = try cursor.string()
            value.kind = text.isEscaped ? .escapedString : .string
            value.range = text.range
        case 0x4E:
            try cursor.literal("NaN")
            value.kind = .other
        case 0x49:
            try cursor.literal("Infinity")
            value.kind = .other
        case 0x2D where cursor.window[start + 1] == 0x49:
            try cursor.literal("-Infinity")
            value.kind = .other
        case 0x2D, 0x30...0x39:
            value.kind = .number
            value.range = try cursor.number()
        case 0x7B, 0x5B:
            value.kind = cursor.byte == 0x7B ? .object : .other
            let inner = try cursor.skipValue(inside: 1, takesNonFinite: true)
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
        guard let field else {
            if value.kind != .null {
                if unknownCount < Self.unknownMax { unknown[unknownCount] = key }
                unknownCount += 1
            }
            return
        }
        if values[field.place].kind != .absent { hasDuplicateKey = true }
        values[field.place] = value
    }
}
