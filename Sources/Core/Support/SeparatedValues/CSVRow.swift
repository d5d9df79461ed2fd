/// A row of a CSV file: its cells, one after the other, without their quotes.
public struct CSVRow {
    /// Where it begins, from 1.
    public private(set) var line = 1
    private var text: [UInt8] = []
    private var ends: [Int] = []
    private var quoted: [Bool] = []

    /// How many cells it has.
    public var count: Int { ends.count }

    /// Bytes of all cells.
    var byteCount: Int { text.count }

    /// Whether it is a line without anything.
    var isBlank: Bool { ends.count == 1 && text.isEmpty && !quoted[0] }

    /// Whether each cell is UTF-8.
    public var isUTF8: Bool {
        let startsInside = ends.contains { $0 < text.count && text[$0] & 0xC0 == 0x80 }
        return !startsInside && (try? UTF8Span(validating: text.span)) != nil
    }

    /// The bytes of a cell; nil: empty without quotes, which is how PostgreSQL writes NULL.
    ///
    /// - Parameter index: below ``count``.
    public subscript(_ index: Int) -> ArraySlice<UInt8>? {
        let start = index == 0 ? 0 : ends[index - 1]
        return start == ends[index] && !quoted[index] ? nil : text[start..<ends[index]]
    }

    mutating func append(_ byte: UInt8) { text.append(byte) }

    mutating func endCell(quoted isQuoted: Bool) {
        ends.append(text.count)
        quoted.append(isQuoted)
    }

    mutating func clear(line: Int) {
        self.line = line
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        quoted.removeAll(keepingCapacity: true)
    }
}
