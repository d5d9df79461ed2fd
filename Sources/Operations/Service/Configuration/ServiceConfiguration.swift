public import Analysis
public import Edge
import Foundation
import Gemini
public import Ingestion
public import Instruments
public import Jobs
public import Logging
import Meals
public import Media
public import Readings
public import Retention
public import Spooling

/// All settings with their defaults. ``Settings`` maps the keys to these fields.
public struct ServiceConfiguration: Sendable {
    /// Holds the private cluster and the generated key; created if it is missing.
    public var dataDirectory = "./var"
    /// The operator's server; nil: a private cluster in the data directory.
    public var databaseURL: Secret?
    /// On Citus, the coordinator, for schema changes and all rows without a device; nil:
    /// ``databaseURL``.
    public var coordinatorURL: Secret?
    /// Keys besides those in the database, comma-separated; nil: one is made and kept in the data
    /// directory.
    public var ingestKeys: Secret?
    /// The lowest level that is logged.
    public var logLevel = LogLevel.info
    /// The format of log lines.
    public var logFormat = LogFormat.logfmt
    /// The directory of the private cluster's programs; blank: they are searched for.
    public var postgresBinDirectory = ""
    /// Analysts' port of the private cluster, on 127.0.0.1; 0: a free one; -1: none.
    public var analystPort = 0
    /// How batches become transactions.
    public var ingestion = IngestionConfiguration()
    /// For batches that are pending while the database is unreachable; 0 bytes: no spool.
    public var spool = SpoolConfiguration()
    /// How long a node that has served before waits for its database at a start, before it listens
    /// and spools; a new node waits without a limit.
    public var startWaitMax: Duration = .seconds(2)
    /// The address and limits of the server.
    public var edge = EdgeConfiguration()
    /// The limits of readings.
    public var limits = ReadingLimits()
    /// How long each kind of data is kept.
    public var retention = RetentionConfiguration()
    /// Whether this process runs jobs, and how they are retried.
    public var jobs = JobConfiguration()
    /// How captures are analysed.
    public var analysis = AnalysisConfiguration()
    /// Authentication, TLS, uploaded files.
    public var applications = ApplicationSettings()
    /// The processes that read uploaded files, and what each user's files may take.
    public var inspector = InspectorConfiguration()
    /// How long a revoked key may still work on each node.
    public var keyRefreshInterval: Duration = .seconds(2)
    /// Whether this node sums up past hours.
    public var sumsHours = true

    /// The rate limit of keys without a quota of their own; 0: none.
    public var keyBytesPerSecond = 0

    /// The texts that were given, by setting key.
    var given: [String: Secret] = [:]

    /// The defaults.
    public init() {}

    /// Keys of settings whose given text differs, or that only one of the two gives; sorted.
    func differences(from other: ServiceConfiguration) -> [String] {
        Settings.all.map(\.key).filter { given[$0] != other.given[$0] }.sorted()
    }

    /// The longest that a stop can take: clients, lanes, jobs, the private cluster, and ten seconds
    /// for remaining writes.
    var stopMax: Duration {
        edge.shutdownWithin + ingestion.attemptMax + jobs.stopMax + DatabaseHost.stopMax
            + .seconds(10)
    }

    /// The most connections to the database that one server opens at a time, and a command.
    var databaseConnectionsMax: Int {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let lanes = ingestion.lanes > 0 ? ingestion.lanes : min(max(cores, 2), 8)
        let jobs = jobs.concurrency
        // Lanes; routes and upkeep; notices; the era, and its search for other hosts; retention and
        // its turn; one runner for captures and one for meals, each with a listening connection; one
        // for a command.
        return lanes + 3 + 1 + 2 + 2 + (jobs > 0 ? 2 * (jobs + 1) : 0) + 1
    }

    /// ``spool`` with limits that fit: a record holds the largest batch (tuples are at most a
    /// quarter longer than their JSON), and a file of whole pages holds the largest record.
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
    // From most to least verbose.
    case trace, debug, info, notice, warning, error, critical

    /// The level in swift-log.
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

/// One fault of the configuration: its place and the rule that it breaks.
///
/// Carries the value that was found unless it may be a secret.
public struct ConfigurationProblem: Equatable, Sendable {
    /// The setting's key, or the file's path and line.
    public let key: String
    /// What the value must be; begins in lower case, no full stop.
    public let rule: String
    /// What was found instead; nil for secrets and if there is nothing to show.
    public let found: String?

    init(key: String, rule: String, found: String? = nil) {
        self.key = key
        self.rule = rule
        self.found = found
    }
}

/// All faults of the configuration, found in one pass.
public struct ConfigurationProblems: Error, Equatable, Sendable {
    /// In the order in which they were found; never empty.
    public let problems: [ConfigurationProblem]
}

/// What parses meals written in words.
public enum MealParserChoice: String, CaseIterable, Sendable {
    /// This machine, with the table of foods.
    case local
    /// A model, and this machine if the model has no usable answer.
    case gemini

    /// The duration that clients are told to expect.
    var estimatedSeconds: Int {
        switch self {
        case .local: 1
        case .gemini: GeminiMealParser.estimatedSeconds
        }
    }

    /// Returns a function that makes the parser for the current foods.
    ///
    /// - Parameters:
    ///   - model: required for ``gemini``.
    ///   - logger: gets a warning for each meal for which the model had no usable answer.
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
                            "the model failed; the meal is parsed without it",
                            metadata: ["error": "\(word)"])
                    }, local: LocalMealParser(foods: $0))
            }
        }
    }
}
