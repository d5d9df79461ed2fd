/// Condenses the captures of an hour. A function of the set of captures.
public enum HourComposer {
    /// Of each list.
    static let listMax = 20

    /// - Parameter captures: all of one hour, in any order.
    /// - Returns: nil when there are none.
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
