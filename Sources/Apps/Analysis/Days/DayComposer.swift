import Captures
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
        let moments = Tally.once(captures.map { $0.event(calendar) }, key: FoldedName.key)
        let highlights = highlights(captures, calendar)
        return DaySummary(
            summary: words(captures, day, calendar, isOver, highlights),
            timeline: timeline(captures, calendar),
            themes: Tally.frequent(captures.flatMap(\.analysis.themes), max: 5),
            highlights: highlights, mood: Tally.mood(captures),
            peopleInteractions: interactions(captures, calendar),
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
        if let whereabouts = Sentence.whereabouts(places: places, people: people) {
            text += " " + whereabouts
        }
        if mood != MoodReader.neutral { text += " I felt \(mood)." }
        if let highlight = highlights.first { text += " \(highlight)" }
        return text
    }

    private static func timeline(
        _ captures: [AnalysedCapture], _ calendar: UserCalendar
    ) -> [DaySummary.Entry] {
        guard captures.count > timelineMax else {
            return captures.map {
                DaySummary.Entry(
                    time: $0.time.secondsText, event: $0.event(calendar), captureId: $0.clientID,
                    photoURL: $0.photoURL)
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
    private static func highlights(
        _ captures: [AnalysedCapture], _ calendar: UserCalendar
    ) -> [String] {
        var seen: Set<String> = []
        let distinct = captures.map { (capture: $0, text: $0.event(calendar)) }.filter {
            seen.insert(FoldedName.key(of: $0.text)).inserted
        }
        let scored = distinct.enumerated().map { place, moment in
            (place: place, score: score(moment.capture), text: moment.text)
        }
        return scored.sorted { $0.score == $1.score ? $0.place < $1.place : $0.score > $1.score }
            .prefix(highlightsMax).sorted { $0.place < $1.place }.map(\.text)
    }

    private static func score(_ capture: AnalysedCapture) -> Int {
        var score = min(capture.people.count, 3) * 2
        score += capture.analysis.mood == MoodReader.neutral ? 0 : 2
        score += KeyMoment.isAchievement(capture.analysis.keyMoment) ? 3 : 0
        return score + (capture.photoURL != nil ? 1 : 0)
    }

    private static func interactions(
        _ captures: [AnalysedCapture], _ calendar: UserCalendar
    ) -> [String] {
        Tally.people(captures, max: listMax).map { name in
            let key = FoldedName.key(of: name)
            let with = captures.filter { $0.people.contains { FoldedName.key(of: $0) == key } }
            let moment = with.first?.event(calendar) ?? ""
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
        let moments = Tally.once(captures.map { $0.event(calendar) }, key: FoldedName.key)
            .prefix(3)
        let whereabouts = Sentence.whereabouts(places: places, people: people)
        let sentences = [Tally.captures(captures.count) + "."] + [whereabouts].compactMap { $0 }
        return (sentences + moments).joined(separator: " ")
    }
}
