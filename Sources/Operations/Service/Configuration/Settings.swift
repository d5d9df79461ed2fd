import Access
import Analysis
import Edge
import Ingestion
import Readings
import Spooling

/// Every setting. Only here keys are mapped to fields.
public enum Settings {
    /// Related settings under a heading.
    public struct Section: Sendable {
        /// The heading of the section.
        public let title: String
        /// Never empty.
        public let settings: [Setting]
    }

    /// In the order of the help and of the example file.
    public static let sections: [Section] = [
        Section(title: "What and where", settings: essential),
        Section(title: "Requests", settings: requests),
        Section(title: "Time-outs", settings: timeouts),
        Section(title: "Lanes", settings: lanes),
        Section(title: "Spool", settings: spool),
        Section(title: "Readings", settings: readings),
        Section(title: "Retention", settings: retention),
        Section(title: "Users' apps: who may call", settings: callers),
        Section(title: "TLS and WebSockets", settings: transport),
        Section(title: "Uploaded files", settings: files),
        Section(title: "Jobs", settings: jobs),
        Section(title: "Analysis of captures", settings: analysis),
        Section(title: "Logs and keys", settings: operation),
    ]

    /// The settings of all sections.
    public static let all: [Setting] = sections.flatMap(\.settings)

    /// Keys that SIGHUP applies; the others wait for a restart.
    static let reread: Set<String> = Set(
        (requests + timeouts + readings + callers).map(\.key)
            + ["INGEST_API_KEY", "SLUICE_KEY_BYTES_PER_SECOND"]
    ).subtracting([
        "SLUICE_EVENT_LOOPS", "SLUICE_CONNECTIONS_MAX", "SLUICE_BACKLOG_MAX",
        "SLUICE_IN_FLIGHT_BYTES_MAX", "SLUICE_UNSENT_BYTES_MAX", "SLUICE_SWEEP_INTERVAL",
        "SLUICE_SHUTDOWN_WITHIN", "SLUICE_METRICS_NEED_KEY",
    ])

    /// Environment keys that are read elsewhere.
    static let otherEnvironmentKeys: Set<String> = ["SLUICE_CONFIG"]

    private static let essential: [Setting] = [
        .text("SLUICE_HOST", \.edge.host, "Name or address to listen on."),
        .integer(
            "SLUICE_PORT", \.edge.port, 0...65_535, "TCP port; 0 lets the system choose one."),
        .text(
            "SLUICE_DATA_DIR", \.dataDirectory,
            "Directory of the private cluster and of the key that was made; one process at a time."),
        .secret(
            "DATABASE_URL", \.databaseURL,
            rule: "a postgresql:// URL or a libpq connection string",
            "A PostgreSQL server to use instead of a private cluster. The role must be able to "
                + "create schemas in the database.",
            isValid: DatabaseAccess.canRead),
        .secret(
            "SLUICE_COORDINATOR_URL", \.coordinatorURL,
            rule: "a postgresql:// URL or a libpq connection string",
            "On Citus: the coordinator, for the schema, partitions, notifications, jobs, keys and the "
                + "users' apps. Blank: DATABASE_URL leads there.",
            isValid: DatabaseAccess.canRead),
        .text(
            "SLUICE_POSTGRES_BIN", \.postgresBinDirectory,
            "Where initdb, pg_ctl and postgres are, for the private cluster. Blank: looked for in "
                + "Debian's directories and in PATH."),
        .integer(
            "SLUICE_SQL_PORT", \.analystPort, -1...65535,
            "Port on 127.0.0.1 where analysts (sluice analyst create) get into the private cluster, with "
                + "their passwords. 0: the first that is free from 5433 on, and the same one later. -1: "
                + "none."),
        .secret(
            "INGEST_API_KEY", \.ingestKeys,
            rule: "keys of 1 to \(ConfiguredKeys.keyBytesMax) printable ASCII characters, "
                + "separated by commas",
            "Keys for POST /ingest, comma-separated so that two can live during a rotation. Without "
                + "any, a key is made once and kept in the data directory (ingest.key).",
            isValid: { list in
                guard let keys = try? ConfiguredKeys(list) else { return false }
                return keys.count > 0
            }),
    ]

    private static let requests: [Setting] = [
        .integer(
            "SLUICE_EVENT_LOOPS", \.edge.eventLoopCount, 0...1024,
            "Threads that serve connections; 0 means one for each core."),
        .integer(
            "SLUICE_CONNECTIONS_MAX", \.edge.connectionsMax, 1...1_000_000,
            "Open connections; one more gets a 503."),
        .integer(
            "SLUICE_BACKLOG_MAX", \.edge.backlogMax, 1...65_535,
            "Connections that the kernel holds until they are accepted."),
        .bytes(
            "SLUICE_HEAD_BYTES_MAX", \.edge.headBytesMax, 1024...(1 << 20),
            "All header fields of a request together; more gets a 431."),
        .integer(
            "SLUICE_HEAD_FIELDS_MAX", \.edge.headFieldsMax, 8...10_000,
            "Header fields of a request; more gets a 431."),
        .integer(
            "SLUICE_IDEMPOTENCY_KEY_BYTES_MAX", \.edge.idempotencyKeyBytesMax, 1...4096,
            "Length of an Idempotency-Key; more gets a 400."),
        .bytes(
            "SLUICE_BODY_BYTES_MAX", \.edge.bodyBytesMax, 1024...(1 << 30),
            "A body, as sent and also once decompressed; more gets a 413."),
        .integer(
            "SLUICE_EXPANSION_MAX", \.edge.expansionMax, 1...10_000,
            "How many times its compressed size a body may grow to; more gets a 413."),
        .bytes(
            "SLUICE_EXPANSION_FREE_BYTES", \.edge.expansionFreeBytes, 0...(1 << 30),
            "Decompressed size up to which SLUICE_EXPANSION_MAX is not looked at."),
        .bytes(
            "SLUICE_IN_FLIGHT_BYTES_MAX", \.edge.inFlightBytesMax, 1024...(1 << 40),
            "Bodies received and not yet answered, over all connections; more gets a 503. The "
                + "largest part of the memory that the server may take."),
        .bytes(
            "SLUICE_UNSENT_BYTES_MAX", \.edge.unsentBytesMax, 65_536...(1 << 40),
            "Answers that clients have not taken yet, over all connections; then requests for more, "
                + "other than batches and /health, get a 503."),
        .bytes(
            "SLUICE_STREAMED_UNSENT_BYTES_MAX", \.edge.streamedUnsentBytesMax,
            65_536...(1 << 40),
            "The same of one HTTP/2 connection; then its new streams are refused."),
        .bytes(
            "SLUICE_KEPT_REST_BYTES_MAX", \.edge.keptRestBytesMax, 0...(1 << 30),
            "Rest of a refused body that is swallowed to keep the connection."),
        .bytes(
            "SLUICE_LINGER_BYTES_MAX", \.edge.lingerBytesMax, 0...(1 << 40),
            "Rest of a refused body that is swallowed so that the client can read why it was refused."
        ),
    ]

    private static let timeouts: [Setting] = [
        .duration(
            "SLUICE_HEAD_TIMEOUT", \.edge.headTimeout, shortest...longest,
            "From a request's first byte to the end of its head; then a 408."),
        .duration(
            "SLUICE_BODY_TIMEOUT", \.edge.bodyTimeout, shortest...longest,
            "Without a byte of a body that is not complete; then a 408."),
        .integer(
            "SLUICE_BODY_BYTES_PER_SECOND_MIN", \.edge.bodyBytesPerSecondMin, 0...(1 << 30),
            "Average rate of a body once SLUICE_BODY_TIMEOUT has passed; slower gets a 408."),
        .duration(
            "SLUICE_ACKNOWLEDGE_WITHIN", \.edge.acknowledgeWithin, shortest...longest,
            "From a body's last byte to its commit; then a 503, though it may still be committed."),
        .duration(
            "SLUICE_IDLE_TIMEOUT", \.edge.idleTimeout, shortest...longest,
            "Between an answer and the next request; then the connection is closed."),
        .duration(
            "SLUICE_SEND_TIMEOUT", \.edge.sendTimeout, shortest...longest,
            "A client that doesn't read its answers for this long is closed."),
        .duration(
            "SLUICE_LINGER_TIMEOUT", \.edge.lingerTimeout, shortest...longest,
            "For the rest of a refused body, and for a client to close what the server has closed."),
        .duration(
            "SLUICE_SWEEP_INTERVAL", \.edge.sweepInterval, .milliseconds(10)...(.seconds(10)),
            "How often each thread looks for what has timed out."),
        .duration(
            "SLUICE_SHUTDOWN_WITHIN", \.edge.shutdownWithin, shortest...longest,
            "Requests that aren't done this long after Ctrl-C or SIGTERM are cut off."),
    ]

    private static let lanes: [Setting] = [
        .integer(
            "SLUICE_LANES", \.ingestion.lanes, 0...256,
            "Writers, each with a connection to PostgreSQL; 0 means one for each core, from 2 to 8, "
                + "and on Citus about three for each node. A quarter of them is for the coordinator "
                + "there."),
        .flag(
            "SLUICE_LANES_TO_NODES", \.ingestion.goesToOwners,
            "On Citus: writers connect to the nodes that have the rows, under the names that the "
                + "coordinator knows, with user, password and TLS of DATABASE_URL. Off: all rows go "
                + "by way of DATABASE_URL."),
        .bytes(
            "SLUICE_LANE_BYTES_MAX", \.ingestion.laneBytesMax, (64 << 10)...(1 << 40),
            "Batches that wait for one lane; one more gets a 503."),
        .flag(
            "SLUICE_ROLLUPS", \.sumsHours,
            "Sum measurements and distances by hour, once an hour is over. Off: another node does, or "
                + "the views read all rows."),
        .bytes(
            "SLUICE_GROUP_BYTES_MAX", \.ingestion.groupBytesMax, (4 << 10)...(1 << 30),
            "What one transaction takes if it is more than one batch."),
        .duration(
            "SLUICE_PATIENCE", \.ingestion.patience, shortest...longest,
            "How long a group is tried again before its batches go to the spool."),
        .duration(
            "SLUICE_ATTEMPT_MAX", \.ingestion.attemptMax, shortest...longest,
            "How long one attempt at a transaction may take; then its connection is given up."),
        .duration(
            "SLUICE_CONNECT_MAX", \.ingestion.connectMax, shortest...longest,
            "How long to wait for a connection to PostgreSQL."),
        .duration(
            "SLUICE_START_WAIT_MAX", \.startWaitMax, shortest...longest,
            "How long a start waits for the database on a node that has served before; then it "
                + "listens, and batches go to the spool until the database can be had."),
        .duration(
            "SLUICE_LOCK_WAIT_MAX", \.ingestion.lockWaitMax, shortest...longest,
            "How long a transaction waits for somebody else's lock before it is tried again."),
        .duration(
            "SLUICE_BACKOFF_MIN", \.ingestion.backoffMin, .milliseconds(1)...(.seconds(60)),
            "First pause after a failed attempt; it doubles."),
        .duration(
            "SLUICE_BACKOFF_MAX", \.ingestion.backoffMax, .milliseconds(1)...(.seconds(600)),
            "Longest pause between attempts to reach a database that is away."),
        .duration(
            "SLUICE_BEAT_MAX", \.ingestion.beatMax, shortest...longest,
            "How long the small transaction may take that finds out whether the database takes "
                + "rows again."),
        .integer(
            "SLUICE_DAYS_PER_MINUTE_MAX", \.ingestion.daysPerMinuteMax, 1...100_000,
            "Days for which partitions are made in a minute, for all devices together. A day takes "
                + "some 25 ms of the database."),
        .integer(
            "SLUICE_DAYS_PER_DEVICE_MAX", \.ingestion.daysPerDeviceMax, 1...100_000,
            "Days for which partitions are made in 24 hours because of one device: what a clock that "
                + "is wrong can do. Readings of further days wait in the spool."),
        .duration(
            "SLUICE_DAY_STEP_MAX", \.ingestion.dayStepMax, shortest...longest,
            "How long it may take to make the partitions of a few days; no batch waits for it."),
        .duration(
            "SLUICE_LOOK_INTERVAL", \.ingestion.lookInterval, .milliseconds(10)...(.seconds(10)),
            "How often lanes look after their connections, and the spool after the lanes."),
        .choice(
            "SLUICE_DURABILITY", \.ingestion.durability,
            "What a 200 waits for: the commit, or that the standbys have it on their disks too. If that "
                + "takes longer than SLUICE_PATIENCE, the answer is a 202 from the spool."),
        .bytes(
            "SLUICE_TAIL_BYTES_MAX", \.ingestion.tailBytesMax, 0...(1 << 40),
            "Memory for what was acknowledged and the database's standbys lack, which a failover would "
                + "lose: it is written to the new primary. Not used without standbys. 0: off."),
        .text(
            "SLUICE_NODE", \.ingestion.node,
            "Name of this process in the table of those that write. Blank: the host's name."),
    ]

    private static let spool: [Setting] = [
        .bytes(
            "SLUICE_SPOOL_BYTES_MAX", \.spool.bytesMax, 0...(1 << 50),
            "Disk space for batches that the database doesn't take now; when it is full, batches "
                + "get a 503. 0: no spool, batches get a 503 at once."),
        .bytes(
            "SLUICE_SPOOL_FREE_BYTES_MIN", \.spool.freeBytesMin, 0...(1 << 50),
            "Space that the spool leaves free on its file system, for the database's sake."),
        .bytes(
            "SLUICE_SPOOL_SEGMENT_BYTES", \.spool.segmentBytesMax, (1 << 20)...(1 << 30),
            "Size of one file of the spool; larger where the largest record needs it."),
        .integer(
            "SLUICE_SPOOL_SPARE_SEGMENTS_MAX", \.spool.spareSegmentsMax, 0...1000,
            "Emptied files that are kept to be written again."),
        .bytes(
            "SLUICE_SPOOL_RECORD_BYTES_MAX", \.spool.recordBytesMax, (1 << 20)...(1 << 30),
            "What one record of the spool may hold; at least 1.5 times SLUICE_BODY_BYTES_MAX is "
                + "taken, so that any batch fits."),
        .bytes(
            "SLUICE_SPOOL_BUFFER_BYTES_MAX", \.spool.bufferBytesMax, (64 << 10)...(1 << 30),
            "Compressed records that are written together."),
        .bytes(
            "SLUICE_SPOOL_GROUP_BYTES_MAX", \.ingestion.spoolRecordBytesMax, (4 << 10)...(1 << 30),
            "What goes into one record of the spool if it is more than one batch."),
        .bytes(
            "SLUICE_SPOOL_INTAKE_BYTES_MAX", \.ingestion.spoolIntakeBytesMax,
            (64 << 10)...(1 << 40), "Batches that wait to be written to the spool."),
        .duration(
            "SLUICE_STALL_MAX", \.ingestion.stallMax, shortest...longest,
            "How long a batch may wait for its lane before it goes to the spool."),
        .bytes(
            "SLUICE_REPLAY_BYTES_MAX", \.ingestion.replayBytesMax, (64 << 10)...(1 << 40),
            "What is on its way from the spool to the database at once."),
        .bytes(
            "SLUICE_REPLAY_GROUP_BYTES_MAX", \.ingestion.replayGroupBytesMax,
            (4 << 10)...(1 << 30),
            "What one transaction of the replay takes; live batches wait no longer than one of them."
        ),
        .integer(
            "SLUICE_REPLAY_SHARE_PERCENT", \.ingestion.replaySharePercent, 1...100,
            "Of each lane's time, what the replay may take while there are live batches."),
        .duration(
            "SLUICE_REPLAY_RETRY", \.ingestion.replayRetry, .milliseconds(10)...(.seconds(600)),
            "How long a record that the database did not take from the spool waits for its next "
                + "try; it doubles."),
        .duration(
            "SLUICE_REPLAY_RETRY_MAX", \.ingestion.replayRetryMax,
            .milliseconds(10)...(.seconds(3600)),
            "The longest that such a record waits."),
    ]

    private static let readings: [Setting] = [
        .duration(
            "SLUICE_READING_AGE_MAX", \.limits.ageMax, .seconds(60)...(.seconds(36_525 * 86_400)),
            "An older reading is quarantined: a broken clock must not create thousands of "
                + "partitions. It can be requeued after this is raised."),
        .duration(
            "SLUICE_READING_AHEAD_MAX", \.limits.aheadMax, .zero...(.seconds(366 * 86_400)),
            "A reading further ahead of the server's clock is quarantined."),
        .bytes(
            "SLUICE_READING_BYTES_MAX", \.limits.readingBytesMax, 64...(16 << 20),
            "A larger reading is quarantined, with this much of it."),
        .integer(
            "SLUICE_READING_DEPTH_MAX", \.limits.readingDepthMax, 2...512,
            "Objects and arrays inside each other; a deeper reading is quarantined."),
        .integer(
            "SLUICE_QUARANTINED_MAX", \.limits.quarantinedMax, 1...10_000_000,
            "Faulty readings of one batch; a batch with more is refused whole."),
    ]

    private static let operation: [Setting] = [
        .choice("SLUICE_LOG_LEVEL", \.logLevel, "What is less important is not logged."),
        .choice(
            "SLUICE_LOG_FORMAT", \.logFormat,
            "logfmt for people, json for collectors; both to standard error."),
        .duration(
            "SLUICE_KEY_REFRESH_INTERVAL", \.keyRefreshInterval,
            .milliseconds(100)...(.seconds(60)),
            "How often the keys are read from the database: how long a revoked one may go on working."
        ),
        .bytes(
            "SLUICE_KEY_BYTES_PER_SECOND", \.keyBytesPerSecond, 0...(1 << 40),
            "Bytes of bodies a second that each key may send to this process; more gets a 429. 0: no "
                + "limit. A key made with --bytes-per-second has its own."),
    ]

    /// A size as settings spell it: `512KiB`, `2MiB`.
    public static func bytes(_ text: String) -> Int? {
        Quantity.bytes(text)
    }

    /// A length of time as settings spell it: `90d`, `12h`, `30s`.
    public static func duration(_ text: String) -> Duration? {
        Quantity.duration(text)
    }

    static let shortest: Duration = .milliseconds(100)
    static let longest: Duration = .seconds(86_400)
}
