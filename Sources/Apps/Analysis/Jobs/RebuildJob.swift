import Gemini
import Jobs
import Media
import Postgres
import Readings

/// Has all hours and days of a user made again, in the user's current time zone.
struct RebuildJob: JobHandler {
    let kind = AnalysisJobs.rebuild

    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        let payload = try JobPayload(job.payload)
        return .done { try self.commit(payload.user, on: $0) }
    }

    private func commit(_ userID: String, on connection: Connection) throws {
        let user = try AnalysisStore.lockUser(userID, on: connection)
        let times = try AnalysisStore.times(ofUser: userID, on: connection)
        let days = Set(times.map(user.calendar.day))
        try AnalysisStore.reopen(
            user, hours: Set(times.map(user.calendar.hour)), days: days, on: connection)
        try AnalysisStore.withdrawNews(ofUser: userID, on: connection)
        for day in days.sorted() {
            try AnalysisStore.enqueueSummary(of: day, user: userID, at: nil, on: connection)
        }
        if !times.isEmpty {
            try AnalysisStore.enqueue(
                AnalysisJobs.condense, key: userID, JobPayload(user: userID), at: nil,
                on: connection)
        }
        try AnalysisStore.noteSummaryZone(user, on: connection)
    }
}
