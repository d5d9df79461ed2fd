/// A part of the view that can be drawn in more or fewer lines.
struct TopSection {
    /// Lines without which it says nothing; a view that is too short for all `least` loses its last
    /// sections.
    let least: Int
    /// More are of no use to it.
    let most: Int
    /// Draws it in that many lines or fewer.
    let draw: (Int) -> [TerminalLine]

    init(least: Int, most: Int, draw: @escaping (Int) -> [TerminalLine]) {
        self.least = least
        self.most = max(least, most)
        self.draw = draw
    }

    /// A part that is always the same.
    init(_ lines: [TerminalLine]) {
        self.init(least: lines.count, most: lines.count) { Array(lines.prefix($0)) }
    }

    /// Puts sections below each other in at most `rows` lines: first all have what they need, then
    /// they get what they can use, in their order, and last there are empty lines between them.
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
