import SeparatedValues
import Testing

struct CSVReaderTests {
    /// The rows of a text that comes in pieces; an empty cell without quotes is nil.
    private static func rows(_ pieces: [ArraySlice<UInt8>]) throws(CSVFault) -> [[String?]] {
        var rows: [[String?]] = []
        var reader = CSVReader()
        let take = { (row: CSVRow) throws(CSVFault) in
            rows.append((0..<row.count).map { row[$0].map { String(decoding: $0, as: UTF8.self) } })
        }
        for piece in pieces {
            try piece.withUnsafeBufferPointer { bytes throws(CSVFault) in
                try reader.take(UnsafeRawBufferPointer(bytes), fault: { $0 }, take)
            }
        }
        try reader.finish(fault: { $0 }, take)
        return rows
    }

    @Test(
        arguments: [
            (
                "\u{FEFF}a,\"b,\"\"c\"\"\",d\r\n\n\"x\ny\",,\"\"\n1,2,3",
                [["a", "b,\"c\"", "d"], ["x\ny", nil, ""], ["1", "2", "3"]]
            ),
            ("\u{FEFF}\"a\";b,c\n1;\"2\"\r\n", [["a", "b,c"], ["1", "2"]]),
            ("a\tb;c\n\t\r", [["a", "b;c"], [nil, nil]]),
            // A return that ends no line belongs to its cell.
            ("a,\rb\n\r\"c\",d\n", [["a", "\rb"], ["\r\"c\"", "d"]]),
            // No byte order mark, but its first bytes.
            ("\u{FEC0},a\n", [["\u{FEC0}", "a"]]), ("", []), ("\n\r\n", []),
        ] as [(String, [[String?]])])
    func `rows are the same at every split`(text: String, expected: [[String?]]) throws {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(try Self.rows([bytes[..<split], bytes[split...]]) == expected, "at \(split)")
        }
        #expect(try Self.rows(bytes.indices.map { bytes[$0...$0] }) == expected)
    }

    @Test(
        arguments: [
            ("a,b\n1,\"2\n\n3", 2, .truncated), ("a\n\"b\"c\n", 2, .afterQuote),
            ("\"a\"\rb\n", 1, .afterQuote),
            (
                String(repeating: ",", count: CSVReader.cellsMax + 1), 1,
                .tooManyCells(max: CSVReader.cellsMax)
            ),
            (
                "\"\n" + String(repeating: "x", count: CSVReader.rowBytesMax), 1,
                .tooLong(bytesMax: CSVReader.rowBytesMax)
            ),
        ] as [(String, Int, CSVFault.Reason)])
    func `a fault is told with the line of its row`(
        text: String, line: Int, reason: CSVFault.Reason
    ) {
        do throws(CSVFault) {
            _ = try Self.rows([Array(text.utf8)[...]])
            Issue.record("no fault")
        } catch {
            #expect(error.line == line && error.reason == reason, "\(error)")
        }
    }
}
