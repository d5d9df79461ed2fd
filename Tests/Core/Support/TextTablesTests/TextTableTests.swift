import Foundation
import Testing
import TextTables

struct TextTableTests {
    private static let form = TableForm("units", version: 1, columns: ["unit", "grams", "words"])
    private static let builtIn = BuiltInTable(
        form, Array("sluice units 1\nunit\tgrams\twords\ncup\t240\n".utf8))

    private static func table(_ text: String) throws(TableFault) -> TextTable {
        try TextTable(Array(text.utf8), of: form, file: "units.tsv")
    }

    @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
    func `rows are read with any line ending`(end: String, mark: String) throws {
        let lines = [
            "sluice units 1 extends\t\t", "# a comment", "unit\tgrams\twords", "",
            "cup\t240\ta_b  c _", "\t \t", " mug ",
        ]
        let table = try Self.table(mark + lines.joined(separator: end))
        #expect(table.extends)
        #expect(table.rows.map(\.line) == [5, 7])
        #expect(table.rows.map { $0.text("unit") } == ["cup", "mug"])
        #expect(table.rows[0].words("words") == ["a b", "c"])
        #expect(try table.rows[0].number("grams", in: 0...1000) == 240)
        #expect(try table.rows[1].number("grams", in: 0...1000) == nil)
        #expect(table.rows[1].words("words") == [])
    }

    @Test(arguments: [
        ("", 1), ("sluice units 2\nunit\tgrams\twords", 1), ("sluice cups 1", 1),
        ("sluice units 1 more", 1), ("sluice units 1\n", 2), ("sluice units 1\nunit\twords", 2),
        ("sluice units 1\nunit\tgrams\twords\n\na\t1\tb\tc", 4),
    ])
    func `a text that is no table is reported with the line`(text: String, line: Int) throws {
        let fault = #expect(throws: TableFault.self) { try Self.table(text) }
        #expect(fault?.line == line)
        #expect(fault?.file == "units.tsv")
    }

    @Test func `bytes that are no text are a fault`() {
        let fault = #expect(throws: TableFault.self) {
            try TextTable([0x73, 0xFF], of: Self.form, file: "units.tsv")
        }
        #expect(fault?.reason == .notText)
    }

    @Test(arguments: ["x", "-1", "nan", "1e9", ""])
    func `a cell that is no number is reported with file, line, column and rule`(cell: String)
        throws
    {
        let table = try Self.table("sluice units 1\nunit\tgrams\twords\ncup\t\(cell)")
        let fault = #expect(throws: TableFault.self) {
            try table.rows[0].neededNumber("grams", in: 0...1000)
        }
        #expect(
            fault?.description
                == "units.tsv:3: grams: must be a number from 0.0 to 1000.0")
    }

    @Test func `a directory's tables extend or replace the built-in ones`() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "wörds 100% \(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.path(percentEncoded: false)
        func units() throws -> [String] {
            let files = try TableFiles(directory: path, names: ["units"])
            return try files.rows(of: Self.builtIn).map { $0.text("unit") }
        }
        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: directory.appending(path: name))
        }
        #expect(try units() == ["cup"])
        try write("sluice units 1 extends\nunit\tgrams\twords\nmug\t1", to: "units.tsv")
        #expect(try units() == ["cup", "mug"])
        try write("sluice units 1\nunit\tgrams\twords\nmug\t1", to: "units.tsv")
        #expect(try units() == ["mug"])
        try write("", to: "notes.txt")
        #expect(try units() == ["mug"])
        try write("", to: "unit.tsv")
        let fault = #expect(throws: TableFault.self) { try units() }
        #expect(fault?.reason == .unknownTable(["units"]))
        #expect(throws: TableFault.self) {
            try TableFiles(directory: path + "none", names: ["units"])
        }
    }

    @Test func `the first choice wins`() {
        let chosen = ChosenOnce { 1 }
        chosen.choose(2)
        #expect(chosen.value() == 2)
        #expect(chosen.value() == 2)
        #expect(ChosenOnce { 1 }.value() == 1)
    }
}
