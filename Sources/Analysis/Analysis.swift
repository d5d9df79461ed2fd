/// What happens to a capture after it has been acknowledged: analysis, contacts, condensation,
/// day summary, broadcast.
///
/// **Steps.** Each step is one job, and each job is one transaction: it writes its result, asks
/// for the next step and completes itself, or none of the three happens.
/// ```
/// capture.analyse ──▶ capture_analysis, contact_mention, contact, hour_due
///        ├──▶ user.condense    hour_due ──▶ hour_summary
///        └──▶ user.summarise   ──▶ day_summary, and the news memory_processed
/// ```
/// **Exact by recomputing.** Nothing is counted up. A contact is composed from all mentions of
/// that name, an hour from all its captures, a day from all its captures; a mention belongs to one
/// capture and is replaced with its analysis. So doing a step twice, in another order, or after a
/// crash gives the same rows, and ``ContactMerge``, ``HourComposer`` and ``DayComposer`` are
/// functions from values to values that a test can run over everything.
///
/// **Order of locks.** A commit first locks the row of `app_user`, so that a user's steps see each
/// other's results, then rows of its own tables, then rows of `job`. It never writes to `capture`,
/// whose rows the lanes lock.
///
/// **Analysers.** ``LocalAnalyser`` needs no network and gives the same answer to the same input;
/// ``GeminiAnalyser`` asks a model. When a model fails, what ``LocalAnalyser`` finds is stored
/// with the error, the later steps go on with it, and the capture is analysed again later.
///
/// **Limits.** A photo ``AnalysisConfiguration/photoBytesMax`` (20 MiB), whose metadata a process of
/// its own reads; a transcription is cut at ``LocalAnalyser/charactersMax``; a model's answer 1 MiB,
/// three tries, one minute in all; contacts of one capture ``CaptureAnalysis/Limits/names``; hours
/// condensed in one commit ``CondensationJob/hoursMax``. A user's rows are locked while a day is
/// composed: about a millisecond for a hundred captures.
public enum Analysis {
    /// Kept for a user who has said nothing else.
    public static let defaultTimeZone = "America/New_York"
}
