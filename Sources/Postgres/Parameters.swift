/// The values of a statement's `$1, $2, …` in binary form, in one reusable buffer.
///
/// `append` in the order of the numbers. A nil is NULL of that type. After
/// `removeAll(keepingCapacity:)` the next use allocates nothing.
///
/// - Source: PostgreSQL's binary send and receive forms: big-endian integers and IEEE doubles,
///   text as UTF-8, timestamptz as microseconds since 2000-01-01 UTC, jsonb as a version byte 1
///   and the text; an array as dimensions, null flag, element type, length, lower bound, and
///   elements each behind its length (-1 for NULL).
public struct Parameters: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []

    /// Where a parameter stands in `bytes`; a negative length is NULL.
    @usableFromInline struct Entry: Sendable {
        let type: OID
        let offset: Int
        var length: Int

        @usableFromInline init(type: OID, offset: Int, length: Int) {
            self.type = type
            self.offset = offset
            self.length = length
        }
    }

    /// No parameters; allocates nothing yet.
    public init() {}

    /// How many there are.
    public var count: Int { entries.count }

    /// Bytes of all values together.
    public var byteCount: Int { bytes.count }

    /// Empties it for the next statement.
    public mutating func removeAll(keepingCapacity: Bool = true) {
        bytes.removeAll(keepingCapacity: keepingCapacity)
        entries.removeAll(keepingCapacity: keepingCapacity)
    }

    /// A NULL of that type.
    public mutating func appendNull(_ type: OID) {
        entries.append(Entry(type: type, offset: bytes.count, length: -1))
    }

    /// `bigint`
    public mutating func append(int8 value: Int64?) { append(integer: value, .int8) }
    /// `integer`
    public mutating func append(int4 value: Int32?) { append(integer: value, .int4) }
    /// `smallint`
    public mutating func append(int2 value: Int16?) { append(integer: value, .int2) }
    /// - Parameter value: days since 2000-01-01.
    public mutating func append(date value: Int32?) { append(integer: value, .date) }
    /// - Parameter value: microseconds since 2000-01-01 00:00 UTC; `Int64.min` and `.max` are the
    ///   infinities.
    public mutating func append(timestamptz value: Int64?) { append(integer: value, .timestamptz) }

    /// `double precision`, bit for bit.
    public mutating func append(float8 value: Double?) {
        append(integer: value?.bitPattern, .float8)
    }

    /// `boolean`
    public mutating func append(bool value: Bool?) {
        append(integer: value.map { $0 ? UInt8(1) : 0 }, .bool)
    }

    /// - Parameter value: without U+0000, which text can't hold: the server refuses it (22021).
    public mutating func append(text value: String?) {
        guard let value else { return appendNull(.text) }
        append(.text) { $0.append(contentsOf: value.utf8) }
    }

    /// Copies the bytes.
    public mutating func append(bytea value: [UInt8]?) {
        guard let value else { return appendNull(.bytea) }
        append(.bytea) { $0.append(contentsOf: value) }
    }

    /// Copies the bytes.
    public mutating func append(bytea value: UnsafeRawBufferPointer) {
        append(.bytea) { $0.append(contentsOf: value) }
    }

    /// - Parameter value: JSON text.
    public mutating func append(jsonb value: String?) {
        guard let value else { return appendNull(.jsonb) }
        append(.jsonb) {
            $0.append(1)
            $0.append(contentsOf: value.utf8)
        }
    }

    private mutating func append(integer value: (some FixedWidthInteger)?, _ type: OID) {
        guard let value else { return appendNull(type) }
        let offset = bytes.count
        appendBigEndian(value)
        entries.append(Entry(type: type, offset: offset, length: bytes.count - offset))
    }

    private mutating func append(_ type: OID, _ write: (inout [UInt8]) -> Void) {
        let offset = bytes.count
        write(&bytes)
        entries.append(Entry(type: type, offset: offset, length: bytes.count - offset))
    }

    @inlinable mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
