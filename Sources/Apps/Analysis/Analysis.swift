public import Gemini
public import TextTables

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

/// What an operator may set about analysis.
public struct AnalysisConfiguration: Sendable {
    /// Which analyser runs first; the other one of the two is never asked on its own.
    public enum Choice: String, Sendable, CaseIterable {
        /// ``LocalAnalyser``: offline.
        case local
        /// ``GeminiAnalyser``, with ``LocalAnalyser`` where it fails.
        case gemini
    }

    /// The default is offline.
    public var analyser: Choice = .local
    /// Used when ``analyser`` is `gemini`.
    public var gemini = GeminiConfiguration()
    /// What `url` in the answer to an upload starts with, up to and with `/media/`: photos below it
    /// are read from the media store. nil: what any URL with that path names, unless ``photoHosts``
    /// names its host.
    public var mediaBase: String?
    /// Other hosts that photos are fetched from; see ``PhotoHost``. None by default.
    public var photoHosts: [PhotoHost] = []
    /// Also fetch from addresses of this machine and of private networks. Off, so that nobody can
    /// have the server ask what is behind the firewall.
    public var allowsPrivatePhotoHosts = false
    /// A larger photo is not looked at.
    public var photoBytesMax = 20 << 20
    /// For one photo from another host, redirects included.
    public var photoTimeout: Duration = .seconds(20)
    /// From a capture's analysis to its day's new summary, so that captures which come together
    /// are summed up together.
    public var summaryDelay: Duration = .milliseconds(250)
    /// After the first failure of a model the capture is analysed again so much later; twice as
    /// long after each further one, up to ``retryDelayMax``.
    public var retryDelay: Duration = .seconds(60)
    /// The longest pause between two tries.
    public var retryDelayMax: Duration = .seconds(6 * 3600)
    /// After so many failures in a row the fallback stays.
    public var retriesMax = 12

    /// The defaults.
    public init() {}
}

extension Analysis {
    /// What ``LocalAnalyser`` knows of words and what an operator may extend or replace.
    public static var tables: [BuiltInTable] { AnalysisWords.tables }

    /// Analyses with these tables; before the first capture of the process.
    public static func use(_ files: TableFiles) throws(TableFault) {
        AnalysisWords.chosen.choose(try AnalysisWords(files))
    }
}

/// The words of ``LocalAnalyser``, read from tables once a process.
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
