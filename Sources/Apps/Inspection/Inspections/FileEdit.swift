/// Bytes of a file that get other values. The file keeps its length.
package struct FileEdit: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case bytes([UInt8])
        case fill(UInt8, count: Int)
    }

    package var offset: Int
    package var content: Content

    package init(offset: Int, content: Content) {
        self.offset = offset
        self.content = content
    }

    /// The number of bytes.
    package var count: Int {
        switch content {
        case .bytes(let bytes): bytes.count
        case .fill(_, let count): count
        }
    }

    func write(to writer: inout AnswerWriter) {
        writer.put(offset)
        switch content {
        case .bytes(let bytes):
            writer.put(false)
            writer.put(bytes)
        case .fill(let byte, let count):
            writer.put(true)
            writer.put(byte)
            writer.put(count)
        }
    }

    init?(from reader: inout AnswerReader) {
        guard let offset = reader.number(), let isFill = reader.flag() else { return nil }
        self.offset = offset
        if isFill {
            guard let byte = reader.byte(), let count = reader.number() else { return nil }
            content = .fill(byte, count: count)
        } else {
            guard let bytes = reader.bytes() else { return nil }
            content = .bytes(bytes)
        }
    }
}
