import Readings

/// Sums up a day. Depends only on the set of captures, the calendar, and whether the day is over.
public enum DayComposer {
    /// With more captures than this, the timeline has an entry for each hour.
    static let timelineMax = 24
    private static let listMax = 50
    private static let highlightsMax = 5

    /// - Parameters:
    ///   - captures: all captures of the day, in any order.
    ///   - isOver: whether the day is over; if not, the summary says "so far".
    /// - Returns: nil when there are no captures.
    public static func summary(
        of captures: [AnalysedCapture], day: LocalDay, calendar: UserCalendar, isOver: Bool
    ) -> DaySummary? {
        let captures = AnalysedCapture.ordered(captures)
        guard !captures.isEmpty else { return nil }
        let moments = Tally.once(captures.map(\.analysis.keyMoment), key: Mention.key)
        let highlights = highlights(captures)
        return DaySummary(
            summary: words(captures, day, calendar, isOver, highlights),
            timeline: timeline(captures, calendar),
            themes: Tally.frequent(captures.flatMap(\.analysis.themes), max: 5),
            highlights: highlights, mood: Tally.mood(captures),
            peopleInteractions: interactions(captures),
            locations: Tally.places(captures, max: listMax),
            accomplishments: Array(moments.filter(KeyMoment.isAchievement).prefix(listMax)),
            morningOverview: overview(captures, calendar, "morning", 0..<12),
            afternoonOverview: overview(captures, calendar, "afternoon", 12..<17),
            eveningOverview: overview(captures, calendar, "evening", 17..<24),
            totalCaptures: captures.count)
    }

    private static func words(
        _ captures: [AnalysedCapture], _ day: LocalDay, _ calendar: UserCalendar, _ isOver: Bool,
        _ highlights: [String]
    ) -> String {
        let people = Tally.people(captures, max: 5)
        let places = Tally.places(captures, max: 3)
        let themes = Tally.frequent(captures.flatMap(\.analysis.themes), max: 3)
        let mood = Tally.mood(captures)
        let times = [captures.first, captures.last].compactMap { $0 }.map {
            calendar.clock($0.time)
        }
        var text = "\(day.words): \(Tally.captures(captures.count))"
        text += isOver ? "" : " so far"
        text +=
            Set(times).count == 1
            ? " at \(times[0])" : " between \(times.joined(separator: " and "))"
        text += ", mostly about \(Tally.list(themes))."
        if !places.isEmpty { text += " At \(Tally.list(places))." }
        if !people.isEmpty { text += " With \(Tally.list(people))." }
        if mood != MoodReader.neutral { text += " The mood was \(mood)." }
        if let highlight = highlights.first { text += " \(highlight)" }
        return text
    }

    private static func timeline(
        _ captures: [AnalysedCapture], _ calendar: UserCalendar
    ) -> [DaySummary.Entry] {
        guard captures.count > timelineMax else {
            return captures.map {
                DaySummary.Entry(time: $0.time.secondsText, event: $0.analysis.keyMoment)
            }
        }
        let hours = Dictionary(grouping: captures) { calendar.hour(of: $0.time) }
        return hours.sorted { $0.key < $1.key }.compactMap { hour, captures in
            HourComposer.summary(of: captures, calendar: calendar).map {
                DaySummary.Entry(time: hour.secondsText, event: $0.summary)
            }
        }
    }

    /// The moments with the most people, feeling and success, in the order of the day. A photo
    /// counts too.
    private static func highlights(_ captures: [AnalysedCapture]) -> [String] {
        var seen: Set<String> = []
        let distinct = captures.filter {
            seen.insert(Mention.key(of: $0.analysis.keyMoment)).inserted
        }
        let scored = distinct.enumerated().map { place, capture in
            (place: place, score: score(capture), text: capture.analysis.keyMoment)
        }
        return scored.sorted { $0.score == $1.score ? $0.place < $1.place : $0.score > $1.score }
            .prefix(highlightsMax).sorted { $0.place < $1.place }.map(\.text)
    }

    private static func score(_ capture: AnalysedCapture) -> Int {
        var score = min(capture.people.count, 3) * 2
        score += capture.analysis.mood == MoodReader.neutral ? 0 : 2
        score += KeyMoment.isAchievement(capture.analysis.keyMoment) ? 3 : 0
        return score + (capture.hasPhoto ? 1 : 0)
    }

    private static func interactions(_ captures: [AnalysedCapture]) -> [String] {
        Tally.people(captures, max: listMax).map { name in
            let key = Mention.key(of: name)
            let with = captures.filter { $0.people.contains { Mention.key(of: $0) == key } }
            let moment = with.first?.analysis.keyMoment ?? ""
            return with.count > 1
                ? "\(name) (\(Tally.captures(with.count))): \(moment)" : "\(name): \(moment)"
        }
    }

    private static func overview(
        _ captures: [AnalysedCapture], _ calendar: UserCalendar, _ part: String, _ hours: Range<Int>
    ) -> String {
        let captures = captures.filter { hours.contains(calendar.hourOfDay($0.time)) }
        guard !captures.isEmpty else { return "Nothing was captured in the \(part)." }
        let people = Tally.people(captures, max: 3)
        let places = Tally.places(captures, max: 3)
        var text = Tally.captures(captures.count)
        if !places.isEmpty { text += ", at " + Tally.list(places) }
        if !people.isEmpty { text += ", with " + Tally.list(people) }
        let moments = Tally.once(captures.map(\.analysis.keyMoment), key: Mention.key).prefix(3)
        return text + ". " + moments.joined(separator: " ")
    }
}

/// Condenses the captures of an hour. Depends only on the set of captures and the calendar.
public enum HourComposer {
    /// The most entries of each list except the themes.
    static let listMax = 20

    /// - Parameter captures: all captures of one hour, in any order.
    /// - Returns: nil when there are no captures.
    public static func summary(
        of captures: [AnalysedCapture], calendar: UserCalendar
    ) -> HourSummary? {
        let captures = AnalysedCapture.ordered(captures)
        guard let first = captures.first else { return nil }
        let people = Tally.people(captures, max: listMax)
        let places = Tally.places(captures, max: listMax)
        let moments = Tally.once(captures.map(\.analysis.keyMoment), key: Mention.key)
        let start = calendar.hour(of: first.time)
        var words = "\(Tally.captures(captures.count)) from \(calendar.clock(start))"
        if !places.isEmpty { words += ", at " + Tally.list(Array(places.prefix(3))) }
        if !people.isEmpty { words += ", with " + Tally.list(Array(people.prefix(3))) }
        words += ": " + (moments.first ?? "")
        return HourSummary(
            summary: words,
            themes: Tally.frequent(captures.flatMap(\.analysis.themes), max: 5),
            mood: Tally.mood(captures), people: people, locations: places,
            keyMoments: Array(moments.prefix(listMax)), totalCaptures: captures.count)
    }
}

/// Combines words of several captures.
enum Tally {
    /// The texts without those whose key equals an earlier one's.
    static func once(_ texts: [String], key: (String) -> String) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert(key($0)).inserted }
    }

    /// The most frequent texts, the most frequent first. Equally frequent texts keep their order.
    static func frequent(_ texts: [String], max: Int) -> [String] {
        var counts: [String: Int] = [:]
        for text in texts { counts[text, default: 0] += 1 }
        let order = once(texts, key: { $0 })
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return Array(
            order.sorted { left, right in
                let (more, less) = (counts[left] ?? 0, counts[right] ?? 0)
                return more == less
                    ? places[left] ?? 0 < places[right] ?? 0 : more > less
            }.prefix(max))
    }

    /// The most frequent mood, without neutral ones. Of equally frequent moods, the latest wins.
    static func mood(_ captures: [AnalysedCapture]) -> String {
        let moods = captures.map(\.analysis.mood).filter { $0 != MoodReader.neutral }
        return frequent(moods.reversed(), max: 1).first ?? MoodReader.neutral
    }

    /// The places in order of appearance. "the coffee shop" and "Coffee shop" are one place.
    static func places(_ captures: [AnalysedCapture], max: Int) -> [String] {
        let places = captures.compactMap(\.analysis.location)
        return Array(
            once(places) { place in
                let key = Mention.key(of: place)
                return key.hasPrefix("the ") ? String(key.dropFirst(4)) : key
            }.prefix(max))
    }

    /// All people, in order of appearance.
    static func people(_ captures: [AnalysedCapture], max: Int) -> [String] {
        Array(once(captures.flatMap(\.people), key: Mention.key).prefix(max))
    }

    /// "a", "a and b", "a, b and c".
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }

    /// "1 capture", "3 captures".
    static func captures(_ count: Int) -> String { count == 1 ? "1 capture" : "\(count) captures" }
}
