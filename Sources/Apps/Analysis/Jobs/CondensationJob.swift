import Foundation
import Gemini
import Jobs
import Media
import Postgres
import Readings

/// Condenses every whole hour of a user that is not condensed yet or that a late capture has
/// reopened. Hours without captures are never due, so days without captures cost nothing.
struct CondensationJob: JobHandler {
    /// The most hours of one commit. The next job, enqueued at once, does the rest.
    static let hoursMax = 48

    let kind = AnalysisJobs.condense
    let clock: AnalysisJobs.Clock

    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        let payload = try JobPayload(job.payload)
        return .done { try self.commit(payload.user, on: $0) }
    }

    /// The time of the next condensation: when an hour is over, and at least an hour after the last
    /// one.
    static func time(firstEnd: Timestamp?, last: Timestamp?) -> Timestamp? {
        let next = last?.adding(.seconds(3600))
        guard let firstEnd else { return next }
        return next.map { max($0, firstEnd) } ?? firstEnd
    }

    private func commit(_ userID: String, on connection: Connection) throws {
        let user = try AnalysisStore.lockUser(userID, on: connection)
        let now = clock()
        let due = try AnalysisStore.due(user: userID, max: Self.hoursMax + 1, on: connection)
        let over = due.filter { user.calendar.end(ofHour: $0) <= now }
        let mayBegin = Self.time(firstEnd: nil, last: user.condensedAt).map { $0 <= now } ?? true
        guard mayBegin, !over.isEmpty else {
            return try askAgain(due.first, user, last: user.condensedAt, on: connection)
        }
        for hour in over.prefix(Self.hoursMax) {
            let span = hour..<user.calendar.end(ofHour: hour)
            let captures = try AnalysisStore.captures(
                ofUser: userID, in: span, on: connection
            ).filter { user.calendar.hour(of: $0.time) == hour }
            try AnalysisStore.store(
                HourComposer.summary(of: captures, calendar: user.calendar), hour: hour,
                user: user, on: connection)
        }
        if over.count > Self.hoursMax {
            return try AnalysisStore.enqueue(
                kind, key: userID, JobPayload(user: userID), at: nil, on: connection)
        }
        try AnalysisStore.noteCondensed(userID, at: now, on: connection)
        try askAgain(due.first { !over.contains($0) }, user, last: now, on: connection)
    }

    private func askAgain(
        _ first: Timestamp?, _ user: AnalysisStore.User, last: Timestamp?,
        on connection: Connection
    ) throws {
        guard let first, AnalysisStore.isUsable(first, now: clock()) else { return }
        let time = Self.time(firstEnd: user.calendar.end(ofHour: first), last: last)
        try AnalysisStore.enqueue(
            kind, key: user.id, JobPayload(user: user.id), at: time, on: connection)
    }
}
