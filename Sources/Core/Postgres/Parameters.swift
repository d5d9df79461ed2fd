/// The values of a statement's `$1, $2, …` in binary form, in one reusable buffer.
///
/// Call `append` in the order of the numbers. Nil is a NULL of that type. After
/// `removeAll(keepingCapacity:)` the next use allocates nothing.
///
/// - Source: PostgreSQL's binary send and receive forms: big-endian integers and IEEE doubles,
///   text as UTF-8, timestamptz as microseconds since 2000-01-01 UTC, jsonb as a version byte 1
///   and the text; an array as dimensions, null flag, element type, length, lower bound, and
///   elements, each after its length (-1 for NULL).
public struct Parameters: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []

    /// The position of a parameter in `bytes`; a negative length is NULL.
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

    /// The number of parameters.
    public var count: Int { entries.count }

    /// Removes all parameters, for the next statement.
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

    /// `bytea`; copies the bytes.
    public mutating func append(bytea value: [UInt8]?) {
        guard let value else { return appendNull(.bytea) }
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

/// One-dimensional arrays. Elements come from any collection, so that a column is made from
/// structures without a copy: `parameters.append(int8s: claims.lazy.map(\.key))`. Linear in the
/// elements, no allocation but the growth of the one buffer.
extension Parameters {
    /// An `int8[]` without NULLs.
    @inlinable public mutating func append(int8s elements: some Collection<Int64>) {
        appendIntegers(elements, .int8, array: .int8Array)
    }

    /// An `int4[]` without NULLs.
    @inlinable public mutating func append(int4s elements: some Collection<Int32>) {
        appendIntegers(elements, .int4, array: .int4Array)
    }

    /// A `bool[]` without NULLs.
    @inlinable public mutating func append(bools elements: some Collection<Bool>) {
        let start = beginArray(.bool, array: .boolArray, count: elements.count)
        for element in elements {
            appendBigEndian(Int32(1))
            bytes.append(element ? 1 : 0)
        }
        endArray(at: start)
    }

    /// A `timestamptz[]`: microseconds since 2000-01-01 00:00 UTC; nil is a NULL element.
    @inlinable public mutating func append(timestamptzs elements: some Collection<Int64?>) {
        let start = beginArray(.timestamptz, array: .timestamptzArray, count: elements.count)
        for element in elements {
            guard let element else {
                appendNullElement(inArrayAt: start)
                continue
            }
            appendBigEndian(Int32(8))
            appendBigEndian(element)
        }
        endArray(at: start)
    }

    /// A `float8[]`; nil is a NULL element.
    @inlinable public mutating func append(float8s elements: some Collection<Double?>) {
        let start = beginArray(.float8, array: .float8Array, count: elements.count)
        for element in elements {
            guard let element else {
                appendNullElement(inArrayAt: start)
                continue
            }
            appendBigEndian(Int32(8))
            appendBigEndian(element.bitPattern)
        }
        endArray(at: start)
    }

    /// A `text[]`; nil is a NULL element.
    @inlinable public mutating func append(texts elements: some Collection<String?>) {
        let start = beginArray(.text, array: .textArray, count: elements.count)
        for element in elements {
            guard let element else {
                appendNullElement(inArrayAt: start)
                continue
            }
            appendBigEndian(Int32(element.utf8.count))
            bytes.append(contentsOf: element.utf8)
        }
        endArray(at: start)
    }

    /// A `bytea[]`; nil is a NULL element.
    @inlinable public mutating func append(byteas elements: some Collection<[UInt8]?>) {
        let start = beginArray(.bytea, array: .byteaArray, count: elements.count)
        for element in elements {
            guard let element else {
                appendNullElement(inArrayAt: start)
                continue
            }
            appendBigEndian(Int32(element.count))
            bytes.append(contentsOf: element)
        }
        endArray(at: start)
    }

    /// An array whose elements the caller has in binary form.
    ///
    /// - Parameters:
    ///   - count: how many elements there are.
    ///   - write: appends each element: its length in four bytes, big-endian, -1 for NULL, and its
    ///     bytes.
    @inlinable public mutating func append(
        array: OID, of element: OID, count: Int, _ write: (inout [UInt8]) -> Void
    ) {
        let start = beginArray(element, array: array, count: count)
        write(&bytes)
        // The server sees for itself whether there are NULLs, but accepts the flag only as 0 or 1.
        endArray(at: start)
    }

    @inlinable mutating func appendIntegers<Element: FixedWidthInteger>(
        _ elements: some Collection<Element>, _ type: OID, array: OID
    ) {
        let width = Int32(MemoryLayout<Element>.size)
        let start = beginArray(type, array: array, count: elements.count)
        for element in elements {
            appendBigEndian(width)
            appendBigEndian(element)
        }
        endArray(at: start)
    }

    /// The head of an array; an empty array has no dimension, as the server sends it.
    @usableFromInline mutating func beginArray(_ type: OID, array: OID, count: Int) -> Int {
        let start = bytes.count
        entries.append(Entry(type: array, offset: start, length: 0))
        appendBigEndian(Int32(count == 0 ? 0 : 1))
        appendBigEndian(Int32(0))
        appendBigEndian(type.rawValue)
        if count > 0 {
            appendBigEndian(Int32(count))
            appendBigEndian(Int32(1))
        }
        return start
    }

    /// Appends a NULL element, and sets the array's flag that it has one.
    @usableFromInline mutating func appendNullElement(inArrayAt start: Int) {
        appendBigEndian(Int32(-1))
        bytes[start + 7] = 1
    }

    @usableFromInline mutating func endArray(at start: Int) {
        entries[entries.count - 1].length = bytes.count - start
    }
}
