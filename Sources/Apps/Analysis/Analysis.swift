import Captures
public import TextTables

/// The processing of a capture after its acknowledgement: analysis, contacts, condensation, day
/// summary, broadcast.
///
/// **Steps.** Each step is one job, and each job is one transaction: it writes its result, enqueues
/// the next step and completes itself, or none of the three happens.
/// ```
/// capture.analyse ──▶ capture_analysis, contact_mention, contact, hour_due
///        ├──▶ user.condense    hour_due ──▶ hour_summary
///        └──▶ user.summarise   ──▶ day_summary, and the news memory_processed
/// ```
/// **Exact by recomputing.** Nothing is incremented. A contact is computed from all mentions of its
/// name, an hour from all its captures, a day from all its captures. A mention belongs to one
/// capture and is replaced with the capture's analysis. So a step that runs twice, in another
/// order, or after a crash gives the same rows. ``ContactMerge``, ``HourComposer`` and
/// ``DayComposer`` are functions from values to values, so a test can run them over everything.
///
/// **Order of locks.** A commit first locks the row of `app_user`, so that a user's steps see each
/// other's results. Then it locks rows of its own tables, then rows of `job`. It never writes to
/// `capture`, whose rows the lanes lock.
///
/// **Analysers.** ``LocalAnalyser`` needs no network and gives the same answer to the same input.
/// ``GeminiAnalyser`` asks a model. If the model fails, the result of ``LocalAnalyser`` is stored
/// with the error, the later steps use it, and the capture is analysed again later.
///
/// **Limits.** A photo has at most ``AnalysisConfiguration/photoBytesMax`` (20 MiB); a separate
/// process reads its metadata. A transcription is cut at ``LocalAnalyser/charactersMax``. A model's
/// answer has at most 1 MiB, and a question gets three tries within one minute. A capture has at
/// most ``CaptureAnalysis/Limits/names`` names. A commit condenses at most
/// ``CondensationJob/hoursMax`` hours. A user's row is locked while a day is composed: about a
/// millisecond for a hundred captures.
public enum Analysis {
    /// The time zone of a user who has not set one.
    public static let defaultTimeZone = Captures.defaultTimeZone
}

extension Analysis {
    /// The word tables of ``LocalAnalyser``, which an operator may extend or replace.
    public static var tables: [BuiltInTable] { AnalysisWords.tables }

    /// Sets the tables to use. Call it before the process analyses its first capture.
    public static func use(_ files: TableFiles) throws(TableFault) {
        AnalysisWords.chosen.choose(try AnalysisWords(files))
    }
}
