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
