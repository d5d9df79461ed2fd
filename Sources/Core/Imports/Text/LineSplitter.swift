import Glibc

/// Cuts bytes into lines.
struct LineSplitter {
    /// The beginning of a line whose end has not been read.
    private var rest: [UInt8] = []
    /// The number of the line that is next, from 1.
    private(set) var line = 1

    /// Calls `body` with each line, without its end. `tooLong` is thrown for one that exceeds the
    /// limit.
    mutating func take(
        _ piece: UnsafeRawBufferPointer, tooLong: (Int) -> ImportFault,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var start = 0
        while start < piece.count, let base = piece.baseAddress {
            guard let found = memchr(base + start, 0x0A, piece.count - start) else { break }
            let end = UnsafeRawPointer(found) - base
            let part = UnsafeRawBufferPointer(rebasing: piece[start..<end])
            if rest.isEmpty {
                try Self.pass(line, part, body)
            } else {
                guard rest.count + part.count <= Imports.lineBytesMax else { throw tooLong(line) }
                rest += part
                try rest.withUnsafeBytes { try Self.pass(line, $0, body) }
                rest.removeAll(keepingCapacity: true)
            }
            line += 1
            start = end + 1
        }
        guard rest.count + piece.count - start <= Imports.lineBytesMax else { throw tooLong(line) }
        rest += piece[start...]
    }

    /// The last line need not have an end.
    mutating func finish(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        guard !rest.isEmpty else { return }
        try rest.withUnsafeBytes { try Self.pass(line, $0, body) }
        rest = []
        line += 1
    }

    private static func pass(
        _ line: Int, _ bytes: UnsafeRawBufferPointer,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        let count = bytes.last == 0x0D ? bytes.count - 1 : bytes.count
        try body(line, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
}
