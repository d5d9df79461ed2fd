import Foundation
public import Gemini
public import Jobs
public import Media
import Postgres
public import Readings

/// The kinds of job of this module, and their handlers.
public enum AnalysisJobs {
    /// Analyses one capture. Key: its id. Payload: `{"user":…,"capture":…}`. Enqueued when the
    /// capture is stored.
    public static let analyse = JobKind("capture.analyse")
    /// Condenses a user's whole hours. Key: the user. Payload: `{"user":…}`.
    public static let condense = JobKind("user.condense")
    /// Sums up a user's day. Key: `user/date`; `user/date/closing` for the job after the day's end.
    /// Payload: `{"user":…,"date":…}`.
    public static let summarise = JobKind("user.summarise")
    /// Makes all hours and days of a user again after a change of the time zone. Key: the user.
    /// Payload: `{"user":…}`. Enqueued by the next analysis of a capture after the change.
    public static let rebuild = JobKind("user.rebuild")

    /// Returns the time. Tests pass a clock of their own.
    public typealias Clock = @Sendable () -> Timestamp

    /// Makes one handler for each kind.
    ///
    /// - Parameters:
    ///   - media: reads a file of the media store for a user, by its path below `/media/`; returns
    ///     nil when there is no such file that the user may see.
    ///   - inspector: reads photos' metadata.
    ///   - model: may be nil for ``AnalysisConfiguration/Choice/local``.
    public static func handlers(
        _ configuration: AnalysisConfiguration, media: @escaping PhotoSource.MediaReader,
        inspector: Inspector, model: GeminiClient? = nil
    ) -> [any JobHandler] {
        let analyser: any Analyser =
            switch configuration.analyser {
            case .local: LocalAnalyser()
            case .gemini:
                if let model {
                    GeminiAnalyser(model)
                } else {
                    preconditionFailure("BUG: no model to ask")
                }
            }
        return handlers(
            configuration, analyser: analyser, media: media, inspector: inspector,
            clock: systemClock)
    }

    /// The same with the caller's analyser and clock.
    static func handlers(
        _ configuration: AnalysisConfiguration, analyser: any Analyser,
        media: @escaping PhotoSource.MediaReader, inspector: Inspector, clock: @escaping Clock
    ) -> [any JobHandler] {
        [
            CaptureAnalysisJob(
                configuration: configuration, analyser: analyser,
                photos: PhotoSource(configuration, media: media), inspector: inspector,
                clock: clock),
            CondensationJob(clock: clock),
            DaySummaryJob(clock: clock),
            RebuildJob(),
        ]
    }

    /// The machine's clock.
    static let systemClock: Clock = Timestamp.now
}

/// The payload of a job. Each kind has some of the fields.
struct JobPayload: Codable {
    var user: String
    var capture: String?
    var date: String?

    /// - Throws: an error that no retry can fix. The job ends dead, with the error for people to
    ///   see.
    init(_ text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    init(user: String, capture: String? = nil, date: String? = nil) {
        self.user = user
        self.capture = capture
        self.date = date
    }

    var text: String { StoredJSON.text(self) }
}

/// A job's payload lacks a field that its kind needs.
struct JobPayloadIncomplete: Error {}

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
