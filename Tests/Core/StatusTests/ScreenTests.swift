import Testing

@testable import Status

@Suite struct ScreenTests {
    private let lines = [
        TerminalLine("plain"), TerminalLine("bad · µ – …", .bad), TerminalLine("a long one", .dim),
    ]

    @Test func `without colour the only sequences are those that place and erase`() {
        let screen = Screen(columns: 80, rows: 24, hasColor: false, hasUnicode: true)
        #expect(
            screen.frame(lines)
                == "\u{1B}[H\u{1B}[Kplain\r\n\u{1B}[Kbad · µ – …\r\n\u{1B}[Ka long one\r\n\u{1B}[J")
    }

    @Test func `a colour ends with its piece`() {
        let screen = Screen(columns: 80, rows: 24, hasColor: true, hasUnicode: true)
        #expect(screen.render(TerminalLine("x", .bad)) == "\u{1B}[1;31mx\u{1B}[0m")
        #expect(screen.render(TerminalLine("x")) == "x")
    }

    @Test func `a frame that fills the screen does not scroll it`() {
        let screen = Screen(columns: 80, rows: 2, hasColor: false, hasUnicode: true)
        let frame = screen.frame(lines)
        #expect(frame.hasSuffix("bad · µ – …"))
        #expect(frame.split(separator: "\r\n").count == 2)
    }

    @Test func `a terminal without Unicode gets ASCII of the same width`() {
        let text = "bad · µ – … é 漢 🙂"
        let ascii = Screen.ascii(text)
        #expect(ascii == "bad | u - ~ ? ?? ??")
        #expect(TerminalText.width(ascii) == TerminalText.width(text))
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢字", 5, "漢字…"), ("漢字漢字", 4, "漢…"), ("", 0, ""),
        ("abc", 0, ""), ("e\u{301}ee", 2, "e\u{301}…"),
    ])
    func `truncated text ends in a mark`(text: String, columns: Int, cut: String) {
        #expect(TerminalText.cut(text, to: columns) == cut)
        #expect(TerminalText.width(cut) <= columns)
    }

    @Test func `lines are broken between words, and inside words that are too long`() {
        #expect(TerminalText.wrap("one two three", to: 7) == ["one two", "three"])
        #expect(TerminalText.wrap("abcdefgh ij", to: 3) == ["abc", "def", "gh", "ij"])
        #expect(TerminalText.wrap("", to: 5) == [])
        #expect(TerminalText.wrap("漢字 a", to: 1) == ["a"])
    }

    @Test func `a truncated line keeps its inks`() {
        var line = TerminalLine("abc", .dim)
        line.add("def", .bad)
        #expect(line.cut(to: 6) == line)
        let cut = line.cut(to: 5)
        #expect(cut.text == "abcd…")
        #expect(cut.pieces.map(\.ink) == [.dim, .bad])
        #expect(line.cut(to: 3).text == "ab…")
    }
}
