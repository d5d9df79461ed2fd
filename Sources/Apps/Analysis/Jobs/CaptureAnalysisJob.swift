import Gemini
import Jobs
import Logging
import Media
import Postgres
import Readings

/// Analyses one capture and enqueues its hour and day.
///
/// The model is asked outside any transaction. If the capture has changed by the time of the
/// commit, nothing is stored and the job runs again. If the same content already has an analysis
/// that is not a fallback, the analyser is not called. A fallback is stored and announced once;
/// later failures only update its count.
struct CaptureAnalysisJob: JobHandler {
    let kind = AnalysisJobs.analyse
    let configuration: AnalysisConfiguration
    let analyser: any Analyser
    let photos: PhotoSource
    let inspector: Inspector
    let clock: AnalysisJobs.Clock

    /// Attempts to get a photo before the analysis continues without it.
    private static let photoTriesMax = 3
    private static let photoPause: Duration = .seconds(5)

    /// An analysis to be committed.
    private struct Finding: Sendable {
        var analysis: CaptureAnalysis
        var analyser: String
        /// Why the analysis is only a fallback; nil when it is final.
        var problem: String?
        var retryAfter: Duration?
    }

    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        let payload = try JobPayload(job.payload)
        guard let captureID = payload.capture else { throw JobPayloadIncomplete() }
        let (capture, stored, calendar) = try await context.database.withConnection {
            (
                try AnalysisStore.capture(captureID, ofUser: payload.user, on: $0),
                try AnalysisStore.stored(captureID, on: $0),
                try AnalysisStore.calendar(ofUser: payload.user, on: $0)
            )
        }
        guard let capture else { return .done }
        guard AnalysisStore.isUsable(capture.time, now: clock()) else {
            throw CaptureTimeUnusable()
        }
        if capture.isDeleted { return .done { try self.remove(capture, on: $0) } }
        if let stored, stored.revision == capture.revision, !stored.isFallback {
            return .done { try self.followUp(capture, stored, on: $0) }
        }
        var photo: [UInt8]?
        var problem: PhotoFailure?
        if let url = capture.photoURL {
            do throws(PhotoFailure) {
                photo = try await photos.bytes(of: url, user: capture.userID)
            } catch {
                context.logger.info("no photo", metadata: ["reason": "\(error.word)"])
                if error.mayPass {
                    if job.attempts < Self.photoTriesMax, !context.isLastAttempt {
                        return .again(after: Self.photoPause * job.attempts, reason: error.word)
                    }
                    problem = error
                }
            }
        }
        var input = AnalysisInput(
            transcription: capture.transcription, image: photo, audioURL: capture.audioURL,
            time: capture.time, calendar: calendar)
        if let photo {
            do throws(InspectionFailure) {
                input.picture = try await inspector.picture(photo, user: capture.userID)
            } catch .budgetUsedUp(let time) {
                // The last time it is done without the picture's facts.
                if !context.isLastAttempt {
                    return .again(after: time, reason: "inspection_budget")
                }
            }
        }
        let finding = try await find(input, problem, context.logger)
        return .done { try self.commit(finding, capture, on: $0) }
    }

    private func find(
        _ input: AnalysisInput, _ problem: PhotoFailure?, _ logger: Logger
    ) async throws -> Finding {
        do throws(AnalyserFailure) {
            let analysis = try await analyser.analyse(input)
            return Finding(analysis: analysis, analyser: analyser.name, problem: problem?.word)
        } catch .model(.cancelled) {
            throw CancellationError()
        } catch {
            logger.warning(
                "the model failed; stored what the local analyser finds",
                metadata: ["analyser": "\(analyser.name)", "error": "\(error.word)"])
            let fallback = LocalAnalyser()
            return Finding(
                analysis: fallback.found(input), analyser: fallback.name, problem: error.word,
                retryAfter: error.retryAfter)
        }
    }

    // MARK: In the transaction

    private func commit(
        _ finding: Finding, _ capture: AnalysisStore.Capture, on connection: Connection
    ) throws {
        let user = try AnalysisStore.lockUser(capture.userID, on: connection)
        let present = try AnalysisStore.capture(
            capture.id, ofUser: capture.userID, on: connection)
        guard let present else { return }
        guard present.revision == capture.revision else {
            return try AnalysisStore.enqueue(
                kind, key: capture.id, JobPayload(user: user.id, capture: capture.id), at: nil,
                on: connection)
        }
        let before = try AnalysisStore.stored(capture.id, on: connection)
        var failures: Int32 = 0
        if let problem = finding.problem {
            let isSame = before?.revision == capture.revision
            if isSame, before?.isFallback == false { return }
            failures = (isSame ? before?.failures ?? 0 : 0) + 1
            try askAgain(finding, capture, failures, on: connection)
            if isSame {
                return try AnalysisStore.noteFailure(
                    of: capture.id, error: problem, failures: failures, on: connection)
            }
        }
        try AnalysisStore.store(
            finding.analysis, of: capture, by: finding.analyser, error: finding.problem,
            failures: failures, on: connection)
        let mentions = Mention.mentions(
            in: finding.analysis, captureID: capture.id, time: capture.time,
            photoURL: capture.photoURL, transcription: capture.transcription)
        try AnalysisStore.replaceMentions(
            mentions, ofCapture: capture.id, user: user.id, on: connection)
        try passOn(Set([capture.time, before?.time].compactMap { $0 }), user, on: connection)
    }

    /// Nothing is left of a capture that its user deleted.
    private func remove(_ capture: AnalysisStore.Capture, on connection: Connection) throws {
        let user = try AnalysisStore.lockUser(capture.userID, on: connection)
        let present = try AnalysisStore.capture(
            capture.id, ofUser: capture.userID, on: connection)
        guard let present else { return }
        guard present.isDeleted else {
            return try AnalysisStore.enqueue(
                kind, key: capture.id, JobPayload(user: user.id, capture: capture.id), at: nil,
                on: connection)
        }
        try AnalysisStore.replaceMentions([], ofCapture: capture.id, user: user.id, on: connection)
        try passOn([present.time], user, on: connection)
    }

    /// Enqueues the hours and days of these times: the capture's, and the one that it had before.
    private func passOn(
        _ all: Set<Timestamp>, _ user: AnalysisStore.User, on connection: Connection
    ) throws {
        let times = all.filter { AnalysisStore.isUsable($0, now: clock()) }
        guard !times.isEmpty else { return }
        let calendar = user.calendar
        let hours = Set(times.map(calendar.hour))
        try AnalysisStore.noteDue(hours, user: user.id, on: connection)
        let due = CondensationJob.time(
            firstEnd: hours.map(calendar.end(ofHour:)).min(), last: user.condensedAt)
        try AnalysisStore.enqueue(
            AnalysisJobs.condense, key: user.id, JobPayload(user: user.id), at: due,
            on: connection)
        for day in Set(times.map(calendar.day)).sorted() {
            try AnalysisStore.enqueueSummary(
                of: day, user: user.id, at: clock().adding(configuration.summaryDelay),
                on: connection)
        }
        if user.summaryTimeZone == nil {
            try AnalysisStore.noteSummaryZone(user, on: connection)
        } else if user.summaryTimeZone != user.timeZone {
            try AnalysisStore.enqueue(
                AnalysisJobs.rebuild, key: user.id, JobPayload(user: user.id), at: nil,
                on: connection)
        }
    }

    /// For a capture that is already analysed: enqueues the later steps if it is not announced yet.
    private func followUp(
        _ capture: AnalysisStore.Capture, _ stored: AnalysisStore.Stored,
        on connection: Connection
    ) throws {
        guard !stored.isAnnounced else { return }
        let user = try AnalysisStore.lockUser(capture.userID, on: connection)
        try passOn([stored.time], user, on: connection)
    }

    private func askAgain(
        _ finding: Finding, _ capture: AnalysisStore.Capture, _ failures: Int32,
        on connection: Connection
    ) throws {
        guard failures <= configuration.retriesMax else { return }
        let doublings = min(Int(failures) - 1, 20)
        let pause = min(configuration.retryDelay * (1 << doublings), configuration.retryDelayMax)
        try AnalysisStore.enqueue(
            kind, key: capture.id, JobPayload(user: capture.userID, capture: capture.id),
            at: clock().adding(max(pause, finding.retryAfter ?? .zero)), on: connection)
    }
}

extension Timestamp {
    /// Adds a duration, cut to microseconds.
    func adding(_ duration: Duration) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(duration / .microseconds(1)))
    }
}
