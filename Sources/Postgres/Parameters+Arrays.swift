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

    /// An `int2[]` without NULLs.
    @inlinable public mutating func append(int2s elements: some Collection<Int16>) {
        appendIntegers(elements, .int2, array: .int2Array)
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

    /// The head of an array: no dimension at all when it is empty, as the server sends it.
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

    /// A NULL element, and the array's flag that it has one.
    @usableFromInline mutating func appendNullElement(inArrayAt start: Int) {
        appendBigEndian(Int32(-1))
        bytes[start + 7] = 1
    }

    @usableFromInline mutating func endArray(at start: Int) {
        entries[entries.count - 1].length = bytes.count - start
    }
}
