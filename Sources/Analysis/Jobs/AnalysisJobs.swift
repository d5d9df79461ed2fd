import Foundation
public import Gemini
public import Jobs
public import Multimedia
public import Readings

/// The kinds of job that this module does, and their handlers.
public enum AnalysisJobs {
    /// One capture; key: its id; payload `{"user":…,"capture":…}`. Asked for when it is stored.
    public static let analyse = JobKind("capture.analyse")
    /// A user's whole hours; key: the user; payload `{"user":…}`.
    public static let condense = JobKind("user.condense")
    /// A user's day; key: `user/date`, with `/closing` for the one after its end; payload
    /// `{"user":…,"date":…}`.
    public static let summarise = JobKind("user.summarise")
    /// All hours and days of a user, after a change of the time zone; key: the user; payload
    /// `{"user":…}`. Ask for it in the transaction that changes the zone.
    public static let rebuild = JobKind("user.rebuild")

    /// Tells the time; tests have one of their own.
    public typealias Clock = @Sendable () -> Timestamp

    /// One handler for each kind.
    ///
    /// - Parameters:
    ///   - media: reads a file of the media store by its path below `/media/`, for a user; nil: none that
    ///     this user may see.
    ///   - inspector: reads photos' metadata.
    ///   - model: nil will do for ``AnalysisConfiguration/Choice/local``.
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

    /// The same with an analyser and a clock of the caller's.
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

    /// The machine's.
    static let systemClock: Clock = {
        let seconds = Date().timeIntervalSince1970
        return Timestamp(
            microseconds: Int64(seconds * 1e6) - Timestamp.unixEpochOffset * 1_000_000)
    }
}
