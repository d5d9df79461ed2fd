public import Gemini
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
    public static let defaultTimeZone = "America/New_York"
}

/// An operator's settings for analysis.
public struct AnalysisConfiguration: Sendable {
    /// The analyser in use.
    public enum Choice: String, Sendable, CaseIterable {
        /// ``LocalAnalyser``: offline.
        case local
        /// ``GeminiAnalyser``; if it fails, ``LocalAnalyser``.
        case gemini
    }

    /// Default `local`.
    public var analyser: Choice = .local
    /// Used when ``analyser`` is `gemini`.
    public var gemini = GeminiConfiguration()
    /// The beginning of `url` in the answer to an upload, including `/media/`. Photos below it are
    /// read from the media store. If nil, any URL with the path `/media/…` is read from the store,
    /// unless ``photoHosts`` has its host.
    public var mediaBase: String?
    /// Other hosts that photos are fetched from; see ``PhotoHost``. Default none.
    public var photoHosts: [PhotoHost] = []
    /// Whether photos are also fetched from addresses of this machine and of private networks. Off
    /// by default, so that no client can make the server send requests behind the firewall.
    public var allowsPrivatePhotoHosts = false
    /// The most bytes of a photo; a larger one is ignored. Default 20 MiB.
    public var photoBytesMax = 20 << 20
    /// The time limit for one photo from another host, including redirects. Default 20 s.
    public var photoTimeout: Duration = .seconds(20)
    /// The delay between a capture's analysis and its day's new summary, so that captures that
    /// arrive together share one summary. Default 250 ms.
    public var summaryDelay: Duration = .milliseconds(250)
    /// The pause before a capture is analysed again after a model's first failure. It doubles with
    /// each further failure, up to ``retryDelayMax``. Default 60 s.
    public var retryDelay: Duration = .seconds(60)
    /// The longest pause between two attempts. Default six hours.
    public var retryDelayMax: Duration = .seconds(6 * 3600)
    /// Retries after a model's failures; after them the fallback stays. Default 12.
    public var retriesMax = 12

    /// The defaults.
    public init() {}
}

extension Analysis {
    /// The word tables of ``LocalAnalyser``, which an operator may extend or replace.
    public static var tables: [BuiltInTable] { AnalysisWords.tables }

    /// Sets the tables to use. Call it before the process analyses its first capture.
    public static func use(_ files: TableFiles) throws(TableFault) {
        AnalysisWords.chosen.choose(try AnalysisWords(files))
    }
}

/// The words of ``LocalAnalyser``, read from tables once per process.
struct AnalysisWords: Sendable {
    let themes: ThemeLexicon
    let moods: MoodWords
    let names: WordLists<NameList>
    let places: PlaceLists
    let kinship: KinshipWords

    static let tables = [
        ThemeLexicon.table, MoodWords.table, NameList.table, PlaceLists.table, KinshipWords.table,
    ]

    static let chosen = ChosenOnce<AnalysisWords> {
        do throws(TableFault) {
            return try AnalysisWords(.builtIn)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    static let current = chosen.value()

    init(_ files: TableFiles) throws(TableFault) {
        themes = try ThemeLexicon(files.rows(of: ThemeLexicon.table))
        moods = try MoodWords(files.rows(of: MoodWords.table))
        names = try WordLists(files.rows(of: NameList.table))
        places = try PlaceLists(files.rows(of: PlaceLists.table))
        kinship = try KinshipWords(files.rows(of: KinshipWords.table))
    }
}
