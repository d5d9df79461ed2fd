import Captures

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
        let moments = Tally.once(captures.map { $0.event(calendar) }, key: FoldedName.key)
        let start = calendar.hour(of: first.time)
        var words = "\(Tally.captures(captures.count)) from \(calendar.clock(start))."
        if let whereabouts = Sentence.whereabouts(
            places: Array(places.prefix(3)), people: Array(people.prefix(3)))
        {
            words += " " + whereabouts
        }
        words += " " + (moments.first ?? "")
        return HourSummary(
            summary: words,
            themes: Tally.frequent(captures.flatMap(\.analysis.themes), max: 5),
            mood: Tally.mood(captures), people: people, locations: places,
            keyMoments: Array(moments.prefix(listMax)), totalCaptures: captures.count)
    }
}
