import Foundation

/// The lines of a segment: the metadata of a batch, then its readings.
///
/// A line is the CRC-32 of a JSON text as eight hexadecimal digits, a space, the text and a line
/// feed. A last line without its line feed was being written when a process ended: nobody was told
/// that it is queued, and it does not count. Any other line with a wrong checksum is damaged.
struct SegmentText: Equatable, Sendable {
    private static let prefixBytes = 9
    private static let lineFeed = UInt8(ascii: "\n")

    /// Nil if its line is missing or damaged: then nobody knows whose the readings are.
    var metadata: Data?
    /// JSON objects, as they were passed.
    var readings: [Data] = []
    /// Lines that were left out because their checksum is wrong.
    var damaged = 0

    /// - Parameter bytes: of a file.
    init(parsing bytes: Data) {
        var isFirst = true
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: Self.lineFeed) {
            let text = Self.text(ofLine: bytes[start..<end])
            if isFirst {
                metadata = text
            } else if let text {
                readings.append(text)
            } else {
                damaged += 1
            }
            isFirst = false
            start = bytes.index(after: end)
        }
    }

    init(metadata: Data, readings: [Data]) {
        (self.metadata, self.readings) = (metadata, readings)
    }

    /// The line of a JSON text.
    static func line(_ text: Data) -> Data {
        Data("\(Checksum.text(text)) ".utf8) + text + [lineFeed]
    }

    /// The end of the last whole line.
    static func wholeBytes(_ bytes: Data) -> Int {
        bytes.lastIndex(of: lineFeed).map { bytes.distance(from: bytes.startIndex, to: $0) + 1 }
            ?? 0
    }

    private static func text(ofLine line: Data) -> Data? {
        guard line.count > prefixBytes else { return nil }
        let text = Data(line.dropFirst(prefixBytes))
        return line.prefix(prefixBytes) == Data("\(Checksum.text(text)) ".utf8) ? text : nil
    }

    /// The bytes of a file.
    var bytes: Data {
        ([metadata ?? Data()] + readings).reduce(into: Data()) { $0 += Self.line($1) }
    }

    /// The body of a request: always the same for the same segment.
    var body: Data {
        var body = Data(#"{"metadata":"#.utf8) + (metadata ?? Data("null".utf8))
        body += Data(#","data":["#.utf8)
        for (index, reading) in readings.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += reading
        }
        return body + Data("]}".utf8)
    }
}
