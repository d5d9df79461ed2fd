import Jobs
import Postgres
import Readings

/// Sums up a day of a user, and then tells the user's sockets of its captures that are new.
///
/// While the day runs it is asked for after each analysis, and once more for the day's end. A late
/// capture has a past day summed up again.
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
        // Wider, and then by the calendar: clocks that are set back over midnight show a date twice.
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
        if !isOver, summary != nil {
            try AnalysisStore.enqueueSummary(
                of: day, user: userID, at: span.upperBound, isClosing: true, on: connection)
        }
    }
}
