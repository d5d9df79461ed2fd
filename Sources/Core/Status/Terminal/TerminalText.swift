import JSONText

/// Measures and sanitizes text for a terminal.
public enum TerminalText {
    /// Replaces characters that a terminal might act on (control characters, direction marks and
    /// the like) by `?`. For text from other sources.
    public static func safe(_ text: String) -> String {
        text.harmlessOnTerminal()
    }

    /// The number of columns that `text` takes.
    public static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// Columns of one character: two for wide East Asian characters and emoji.
    static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isPicture = character.unicodeScalars.contains {
            $0.value == 0xFE0F || $0.properties.isEmojiPresentation
        }
        return isPicture || isWide(first.value) ? 2 : 1
    }

    /// Source: Unicode Standard Annex #11, blocks whose characters are mostly wide.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// At most `columns` wide; text that is cut ends in `…`.
    public static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var (kept, taken) = ("", 0)
        for character in text {
            let width = width(character)
            if taken + width > columns - 1 { break }
            kept.append(character)
            taken += width
        }
        return kept + "…"
    }

    /// Exactly `columns` wide, aligned to the left or to the right.
    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let cut = cut(text, to: columns)
        let space = String(repeating: " ", count: max(0, columns - width(cut)))
        return right ? space + cut : cut + space
    }

    /// Lines of at most `columns`, broken between words if possible.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            if !line.isEmpty, width(line) + 1 + width(word) > columns {
                lines.append(line)
                line = ""
            }
            while width(word) > columns {
                var (head, taken) = ("", 0)
                while let next = word.first, taken + width(next) <= columns {
                    taken += width(next)
                    head.append(word.removeFirst())
                }
                // If not even one character fits, it is dropped.
                if head.isEmpty { word.removeFirst() } else { lines.append(head) }
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
