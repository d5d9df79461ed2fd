/// A part of the view that can be drawn with a variable number of lines.
struct TopSection {
    /// The minimum number of useful lines. If there is not room for `least` of all sections, the
    /// last sections are omitted.
    let least: Int
    /// The number of lines beyond which more are useless.
    let most: Int
    /// Draws the section with at most that many lines.
    let draw: (Int) -> [TerminalLine]

    init(least: Int, most: Int, draw: @escaping (Int) -> [TerminalLine]) {
        self.least = least
        self.most = max(least, most)
        self.draw = draw
    }

    /// A section with fixed lines.
    init(_ lines: [TerminalLine]) {
        self.init(least: lines.count, most: lines.count) { Array(lines.prefix($0)) }
    }

    /// Stacks sections in at most `rows` lines. First each section gets its `least`, then in order
    /// up to its `most`, and the remaining lines become gaps between them.
    static func stack(_ sections: [TopSection], rows: Int) -> [TerminalLine] {
        var counts: [Int] = []
        var left = rows
        for section in sections {
            counts.append(min(section.least, max(0, left)))
            left -= counts[counts.count - 1]
        }
        for (place, section) in sections.enumerated() where counts[place] == section.least {
            let more = min(section.most - counts[place], max(0, left))
            counts[place] += more
            left -= more
        }
        var parts = zip(sections, counts).map { section, count in
            count > 0 ? Array(section.draw(count).prefix(count)) : []
        }
        parts.removeAll(where: \.isEmpty)
        var gaps = max(0, rows - parts.reduce(0) { $0 + $1.count })
        var lines: [TerminalLine] = []
        for (place, part) in parts.enumerated() {
            if place > 0, gaps > 0 {
                lines.append(TerminalLine())
                gaps -= 1
            }
            lines += part
        }
        return lines
    }
}
