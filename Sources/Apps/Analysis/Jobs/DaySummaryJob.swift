import Jobs
import Media
import Postgres
import Readings

/// Sums up a day of a user, and then tells the user's sockets about the day's new captures.
///
/// The job runs after each analysis of the day's captures, and once more at the end of the day. A
/// late capture makes a past day summed up again.
struct DaySummaryJob: JobHandler {
    let kind = AnalysisJobs.summarise
    let clock: AnalysisJobs.Clock

    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        let payload = try JobPayload(job.payload)
        guard let day = payload.date.flatMap({ LocalDay($0) }) else {
            throw JobPayloadIncomplete()
        }
        return .done { try self.commit(payload.user, day, on: $0) }
    }

    private func commit(_ userID: String, _ day: LocalDay, on connection: Connection) throws {
        let user = try AnalysisStore.lockUser(userID, on: connection)
        let calendar = user.calendar
        let span = calendar.span(of: day)
        // Reads a wider range and filters it by the calendar, because a date occurs twice if clocks
        // are set back over midnight.
        let margin: Duration = .seconds(7200)
        let near = span.lowerBound.adding(.zero - margin)..<span.upperBound.adding(margin)
        let captures = try AnalysisStore.captures(ofUser: userID, in: near, on: connection)
            .filter { calendar.day(of: $0.time) == day }
        let isOver = span.upperBound <= clock()
        let summary = DayComposer.summary(
            of: captures, day: day, calendar: calendar, isOver: isOver)
        try AnalysisStore.store(
            summary, day: day, isFinal: isOver, user: user, on: connection)
        try AnalysisStore.announce(captures, of: day, ofUser: userID, on: connection)
        if !isOver, summary != nil, AnalysisStore.isUsable(span.upperBound, now: clock()) {
            try AnalysisStore.enqueueSummary(
                of: day, user: userID, at: span.upperBound, isClosing: true, on: connection)
        }
    }
}
