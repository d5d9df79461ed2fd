import Doctor
import Testing

@Suite struct ReportTextTests {
    private static let findings = [
        Finding(
            area: .settings, name: "fsync", severity: .problem, found: "off",
            reason: "One two three four five six seven.",
            fix: ["a command that is longer than the width"]),
        Finding(
            area: .settings, name: "wal_level", severity: .ok, found: "replica", reason: nil,
            fix: []),
        Finding(
            area: .spool, name: "size", severity: .notice, found: "1 B", reason: "So.", fix: []),
    ]

    @Test func `lines are aligned and wrapped, and commands stay on one line`() {
        var text = ReportText()
        text.width = 36
        #expect(
            text.lines(Self.findings) == [
                "Settings of PostgreSQL",
                "  problem  fsync      off",
                "           One two three four five",
                "           six seven.",
                "           → a command that is longer than the width",
                "  ok       wal_level  replica",
                "",
                "Spool",
                "  notice   size       1 B",
                "           So.",
                "",
                "1 problem, 0 warnings, 1 notice, 1 ok",
            ])
    }

    @Test func `nothing that was sent acts on a terminal`() {
        let sent = "d\u{1B}]0;x\u{07}\u{9B}31m\u{202E}\rz"
        let finding = Finding(
            area: .work, name: sent, severity: .warning, found: sent, reason: sent, fix: [sent])
        let text = ReportText().lines([finding]).joined()
        #expect(
            text.contains("d?]0;x??31m?")
                && text.unicodeScalars.allSatisfy { $0.value < 127 || $0 == "→" })
        #expect(!text.unicodeScalars.contains { $0.value < 32 })
    }

    @Test func `quiet omits findings without a fault, and counts them`() {
        var text = ReportText()
        text.isQuiet = true
        let lines = text.lines(Self.findings)
        #expect(!lines.contains { $0.contains("replica") })
        #expect(lines.last == "1 problem, 0 warnings, 1 notice, 1 ok")
        #expect(text.lines([Self.findings[1]]) == ["0 problems, 0 warnings, 0 notices, 1 ok"])
    }

    @Test func `without the colour codes, coloured output is the same`() throws {
        var text = ReportText()
        let plain = text.lines(Self.findings)
        text.isColoured = true
        let coloured = text.lines(Self.findings)
        #expect(coloured != plain)
        #expect(coloured.map { $0.replacing(try! Regex("\u{1B}\\[[0-9;]*m"), with: "") } == plain)
    }
}
