/// Reads what ``RecordWriter`` wrote; returns nil instead of reading past the end.
package struct RecordReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        let size = MemoryLayout<Value>.size
        guard bytes.count - position >= size else { return nil }
        let value = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: position, as: Value.self)
        }
        position += size
        return Value(littleEndian: value)
    }

    /// The range of a field with its length in front.
    private mutating func field() -> Range<Int>? {
        guard let count = integer(UInt32.self), Int(count) <= bytes.count - position else {
            return nil
        }
        defer { position += Int(count) }
        return position..<position + Int(count)
    }

    package mutating func data() -> [UInt8]? {
        field().map { [UInt8](bytes[$0]) }
    }

    /// Calls `body` with a field, on loan.
    package mutating func withData<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        guard let range = field() else { return nil }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    package mutating func text() -> String? {
        guard let range = field() else { return nil }
        return String(validating: bytes[range], as: UTF8.self)
    }

    /// nil when it can't be read; `.some(nil)` when there is none.
    package mutating func optionalText() -> String?? {
        guard bytes.count - position >= 4 else { return nil }
        if bytes[position..<position + 4].allSatisfy({ $0 == 0xFF }) {
            position += 4
            return .some(nil)
        }
        return text().map { .some($0) }
    }
}
