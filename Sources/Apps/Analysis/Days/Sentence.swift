/// Sentences of the summaries. They are in the user's own voice, as the captures are.
enum Sentence {
    private static let loose: Set<Character> = [
        ",", ";", ":", "-", "–", "—", "、", "，", "；", "：", "،", "؛",
    ]

    /// The text with a full stop, unless it ends a sentence already.
    static func ended(_ text: String) -> String {
        var line = text[...]
        while let last = line.last, last.isWhitespace || loose.contains(last) { line.removeLast() }
        guard let end = line.last(where: { !SentenceStop.isCloser($0) }) else {
            return String(line)
        }
        return SentenceStop.isMark(end) ? String(line) : line + "."
    }

    /// Where the user was and with whom; nil if neither is known.
    static func whereabouts(places: [String], people: [String]) -> String? {
        var words = "I was"
        if !places.isEmpty { words += " at " + Tally.list(places) }
        if !people.isEmpty { words += (places.isEmpty ? "" : ",") + " with " + Tally.list(people) }
        return places.isEmpty && people.isEmpty ? nil : ended(words)
    }
}
