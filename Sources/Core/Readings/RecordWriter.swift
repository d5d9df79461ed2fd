/// Writes the little-endian fields of a record that this program reads back itself.
package struct RecordWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Calls `body` with all that was written, on loan.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = bytes.withUnsafeBytes { bytes in
            Swift.Result<Result, Failure> { () throws(Failure) in try body(bytes) }
        }
        return try outcome.get()
    }

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func write(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// With its length in front.
    package mutating func write(_ data: UnsafeRawBufferPointer) {
        write(UInt32(data.count))
        bytes.append(contentsOf: data)
    }

    /// With its length in front.
    package mutating func write(_ data: [UInt8]) {
        data.withUnsafeBytes { write($0) }
    }

    /// UTF-8 with its length in front; a length of all ones for nil.
    package mutating func write(_ text: String?) {
        guard var text else { return write(UInt32.max) }
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }
}
