/// Numbers of eight bytes, and texts and lists behind their lengths.
package struct AnswerWriter {
    package private(set) var bytes: [UInt8] = []

    package mutating func put(_ byte: UInt8) { bytes.append(byte) }

    package mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

    package mutating func put(_ number: Int) {
        withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) {
            bytes.append(contentsOf: $0)
        }
    }

    package mutating func put(_ number: Double) {
        put(Int(Int64(bitPattern: number.bitPattern)))
    }

    package mutating func put(_ more: [UInt8]) {
        put(more.count)
        bytes += more
    }

    package mutating func put(_ text: String) { put(Array(text.utf8)) }

    package mutating func put<Value>(
        _ value: Value?, _ write: (inout AnswerWriter, Value) -> Void
    ) {
        put(value != nil)
        if let value { write(&self, value) }
    }
}
