public import Analysis
public import Edge
import Gemini
public import Ingestion
public import Instruments
public import Jobs
public import Logging
import Meals
public import Readings
public import Retention
public import Spooling

/// All that can be set from outside, with its defaults. ``Settings`` maps the keys to these fields.
public struct ServiceConfiguration: Sendable {
    /// Holds the private cluster and the key that was made; made when it is missing.
    public var dataDirectory = "./var"
    /// A server of the operator's; nil: a private cluster in the data directory.
    public var databaseURL: Secret?
    /// On Citus: its coordinator, where definitions are changed and all is that is no device's; nil:
    /// where ``databaseURL`` leads.
    public var coordinatorURL: Secret?
    /// Keys in force besides those in the database, comma-separated; nil: one is made and kept in the
    /// data directory.
    public var ingestKeys: Secret?
    /// Less is not logged.
    public var logLevel = LogLevel.info
    /// How a line of the log is written.
    public var logFormat = LogFormat.logfmt
    /// Where the private cluster's programs are; blank: looked for.
    public var postgresBinDirectory = ""
    /// Of 127.0.0.1, where analysts get into the private cluster; 0: one that is free; -1: none.
    public var analystPort = 0
    /// How batches become transactions.
    public var ingestion = IngestionConfiguration()
    /// Where batches wait for a database that is away; no bytes: nowhere.
    public var spool = SpoolConfiguration()
    /// How long a node that has served before waits for its database when it starts, before it
    /// listens and spools; one that never has waits for as long as it takes.
    public var startWaitMax: Duration = .seconds(2)
    /// Where and with what limits clients are served.
    public var edge = EdgeConfiguration()
    /// What a reading may be.
    public var limits = ReadingLimits()
    /// How long what is kept.
    public var retention = RetentionConfiguration()
    /// Who runs what follows a commit, and how often it is tried.
    public var jobs = JobConfiguration()
    /// What is made of captures.
    public var analysis = AnalysisConfiguration()
    /// Who may call, TLS, files.
    public var applications = ApplicationSettings()
    /// How long a revoked key may go on working, on each node.
    public var keyRefreshInterval: Duration = .seconds(2)
    /// Whether this node sums hours that are over.
    public var sumsHours = true

    /// What each key may send that has no quota of its own; 0: no limit.
    public var keyBytesPerSecond = 0

    /// What was given, by the keys of the settings.
    var given: [String: Secret] = [:]

    /// The defaults.
    public init() {}

    /// Keys of settings that are given otherwise, or by one of the two only; sorted.
    func differences(from other: ServiceConfiguration) -> [String] {
        Settings.all.map(\.key).filter { given[$0] != other.given[$0] }.sorted()
    }

    /// How long a stop can take if everything takes as long as it may: clients, lanes, jobs, and the
    /// private cluster with its own limit and whatever else has to be written.
    var stopMax: Duration {
        edge.shutdownWithin + ingestion.attemptMax + jobs.stopMax + DatabaseHost.stopMax
            + .seconds(10)
    }

    /// ``spool`` as it can be had: with records that hold the largest batch (its tuples are at most a
    /// quarter longer than its JSON), and files of whole pages that hold the largest record.
    var fittingSpool: SpoolConfiguration {
        var fitting = spool
        fitting.recordBytesMax = max(spool.recordBytesMax, edge.bodyBytesMax / 2 * 3)
        let needed = fitting.recordBytesMax / 100 * 101 + (1 << 16)
        fitting.segmentBytesMax = (max(spool.segmentBytesMax, needed) + 4095) / 4096 * 4096
        fitting.bytesMax = max(spool.bytesMax, fitting.segmentBytesMax)
        return fitting
    }
}

/// swift-log's levels, as a type that lists them.
public enum LogLevel: String, CaseIterable, Sendable {
    // From everything to almost nothing.
    case trace, debug, info, notice, warning, error, critical

    /// The same for swift-log.
    public var level: Logger.Level {
        switch self {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}

/// One thing that is wrong with the configuration: where, and what would be right.
///
/// Carries the value that was found only where it can't be a secret.
public struct ConfigurationProblem: Equatable, Sendable {
    /// The setting's key, or the file's path and line.
    public let key: String
    /// What the value must be; begins in lower case, no full stop.
    public let rule: String
    /// What was found instead; nil for secrets and where there is nothing to show.
    public let found: String?

    init(key: String, rule: String, found: String? = nil) {
        self.key = key
        self.rule = rule
        self.found = found
    }
}

/// All that is wrong with the configuration, found in one pass.
public struct ConfigurationProblems: Error, Equatable, Sendable {
    /// In the order of the settings; never empty.
    public let problems: [ConfigurationProblem]
}

/// What reads meals that are written in words.
public enum MealParserChoice: String, CaseIterable, Sendable {
    /// This machine, from the table of foods.
    case local
    /// A model, and this machine where that has no answer.
    case gemini

    /// What a client is told that it takes.
    var estimatedSeconds: Int {
        switch self {
        case .local: 1
        case .gemini: GeminiMealParser.estimatedSeconds
        }
    }

    /// Makes the parser, for the foods that there are at the time.
    ///
    /// - Parameters:
    ///   - model: must be there for ``gemini``.
    ///   - logger: is told of each meal that the model had no usable answer for.
    func maker(
        model: GeminiClient?, logger: Logger
    ) -> @Sendable (FoodIndex) -> any MealParser {
        switch self {
        case .local:
            return { LocalMealParser(foods: $0) }
        case .gemini:
            guard let model else { preconditionFailure("BUG: no model to ask") }
            return {
                FallbackMealParser(
                    first: GeminiMealParser(model) { word in
                        logger.warning(
                            "the model failed; the meal is read without it",
                            metadata: ["error": "\(word)"])
                    }, local: LocalMealParser(foods: $0))
            }
        }
    }
}
