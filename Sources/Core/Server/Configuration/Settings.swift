import Auth
import HTTP
import Ingest
import Readings
import SpoolLog

/// Every setting of a product: those of the server, and those of its apps. Only in these lists keys
/// are mapped to fields.
public struct Settings: Sendable {
    /// Related settings under a heading.
    public struct Section: Sendable {
        /// The heading of the section.
        public let title: String
        /// Never empty.
        public let settings: [Setting]

        /// - Parameters:
        ///   - title: the heading.
        ///   - settings: at least one.
        public init(title: String, settings: [Setting]) {
            self.title = title
            self.settings = settings
        }
    }

    /// In the order of the help and of the example file.
    public let sections: [Section]
    /// The settings of all sections.
    public let all: [Setting]

    /// - Parameter apps: those that are built into the product.
    public init(apps: [any App]) {
        sections =
            Self.core + apps.flatMap(\.sections)
            + [Section(title: "Logs and keys", settings: Self.operation)]
        all = sections.flatMap(\.settings)
    }

    private static let core: [Section] = [
        Section(title: "Basics", settings: essential),
        Section(title: "Requests", settings: requests),
        Section(title: "Time-outs", settings: timeouts),
        Section(title: "Lanes", settings: lanes),
        Section(title: "Spool", settings: spool),
        Section(title: "Readings", settings: readings),
        Section(title: "Retention", settings: retention),
        Section(title: "S3", settings: buckets),
        Section(title: "Users' apps: access", settings: callers),
        Section(title: "TLS and WebSockets", settings: transport),
    ]

    /// Keys that SIGHUP applies; the others wait for a restart.
    static let reread: Set<String> = Set(
        (requests + timeouts + readings + callers).map(\.key)
            + ["SLUICE_INGEST_API_KEY", "SLUICE_KEY_BYTES_PER_SECOND"]
    ).subtracting([
        "SLUICE_EVENT_LOOPS", "SLUICE_CONNECTIONS_MAX", "SLUICE_BACKLOG_MAX",
        "SLUICE_IN_FLIGHT_BYTES_MAX", "SLUICE_UNSENT_BYTES_MAX", "SLUICE_SWEEP_INTERVAL",
        "SLUICE_SHUTDOWN_WITHIN", "SLUICE_METRICS_NEED_KEY",
    ])

    /// Environment keys that are read elsewhere.
    static let otherEnvironmentKeys: Set<String> = ["SLUICE_CONFIG"]

    private static let essential: [Setting] = [
        .text("SLUICE_HOST", \.edge.host, "Host name or address to listen on."),
        .integer(
            "SLUICE_PORT", \.edge.port, 0...65_535, "TCP port. 0: the system chooses a free port."),
        .text(
            "SLUICE_DATA_DIR", \.dataDirectory,
            "Directory of the private cluster, the spool, uploaded files and the generated key. "
                + "Only one process may use it at a time."),
        .secret(
            "SLUICE_DATABASE_URL", \.databaseURL,
            rule: "a postgresql:// URL or a libpq connection string",
            "The PostgreSQL server to use instead of a private cluster. The role must be able to "
                + "create schemas in the database.",
            isValid: DatabaseAccess.canRead
        ).formerly("DATABASE_URL"),
        .secret(
            "SLUICE_COORDINATOR_URL", \.coordinatorURL,
            rule: "a postgresql:// URL or a libpq connection string",
            "On Citus: the coordinator, used for the schema, partitions, notifications, jobs, keys "
                + "and the users' apps. Blank: SLUICE_DATABASE_URL is the coordinator.",
            isValid: DatabaseAccess.canRead),
        .text(
            "SLUICE_POSTGRES_BIN", \.postgresBinDirectory,
            "Directory of initdb, pg_ctl and postgres, for the private cluster. Blank: Debian's "
                + "directories and PATH are searched."),
        .integer(
            "SLUICE_SQL_PORT", \.analystPort, -1...65535,
            "Port on 127.0.0.1 where analysts (sluice analyst create) connect to the private "
                + "cluster with their passwords. 0: the first free port from 5433 on, which is "
                + "then kept. -1: no port."),
        .secret(
            "SLUICE_INGEST_API_KEY", \.ingestKeys,
            rule: "keys of 1 to \(ConfiguredKeys.keyBytesMax) printable ASCII characters, "
                + "separated by commas",
            "Keys for POST /ingest, separated by commas so that two keys can be valid during a "
                + "rotation. Blank: one key is generated and kept in the data directory "
                + "(ingest.key).",
            isValid: { list in
                guard let keys = try? ConfiguredKeys(list) else { return false }
                return keys.count > 0
            }
        ).formerly("INGEST_API_KEY"),
    ]

    private static let requests: [Setting] = [
        .integer(
            "SLUICE_EVENT_LOOPS", \.edge.eventLoopCount, 0...1024,
            "Threads that serve connections. 0: one per core."),
        .integer(
            "SLUICE_CONNECTIONS_MAX", \.edge.connectionsMax, 1...1_000_000,
            "Open connections. One more closes the one that has been idle longest; if none is idle, "
                + "it gets a 503. One address may have four fifths of them. Lowered at the start if "
                + "the process may not open as many files."),
        .integer(
            "SLUICE_BACKLOG_MAX", \.edge.backlogMax, 1...65_535,
            "Connections that the kernel queues until the server accepts them."),
        .bytes(
            "SLUICE_HEAD_BYTES_MAX", \.edge.headBytesMax, 1024...(1 << 20),
            "Total size of a request's header fields; a larger head gets a 431."),
        .integer(
            "SLUICE_HEAD_FIELDS_MAX", \.edge.headFieldsMax, 8...10_000,
            "Number of a request's header fields; more get a 431."),
        .integer(
            "SLUICE_IDEMPOTENCY_KEY_BYTES_MAX", \.edge.idempotencyKeyBytesMax, 1...4096,
            "Length of an Idempotency-Key; a longer one gets a 400."),
        .bytes(
            "SLUICE_BODY_BYTES_MAX", \.edge.bodyBytesMax, 1024...(1 << 30),
            "Size of a body, both as sent and decompressed; a larger body gets a 413."),
        .integer(
            "SLUICE_EXPANSION_MAX", \.edge.expansionMax, 1...10_000,
            "Ratio of a body's decompressed size to its compressed size; a higher ratio gets a "
                + "413."),
        .bytes(
            "SLUICE_EXPANSION_FREE_BYTES", \.edge.expansionFreeBytes, 0...(1 << 30),
            "Decompressed size up to which SLUICE_EXPANSION_MAX is not checked."),
        .bytes(
            "SLUICE_IN_FLIGHT_BYTES_MAX", \.edge.inFlightBytesMax, 1024...(1 << 40),
            "Bodies that were received and not yet answered, over all connections; more get a 503. "
                + "This is the largest part of the server's memory."),
        .bytes(
            "SLUICE_UNSENT_BYTES_MAX", \.edge.unsentBytesMax, 65_536...(1 << 40),
            "Responses that clients have not read yet, over all connections. Above this, or when one "
                + "address has four fifths of it, requests other than batches and /health get a 503."
        ),
        .bytes(
            "SLUICE_STREAMED_UNSENT_BYTES_MAX", \.edge.streamedUnsentBytesMax,
            65_536...(1 << 40),
            "Responses that the client of one HTTP/2 connection has not read yet. Above this, new "
                + "streams of the connection are refused."),
        .bytes(
            "SLUICE_KEPT_REST_BYTES_MAX", \.edge.keptRestBytesMax, 0...(1 << 30),
            "Remainder of a refused body that is read and discarded to keep the connection open."),
        .bytes(
            "SLUICE_LINGER_BYTES_MAX", \.edge.lingerBytesMax, 0...(1 << 40),
            "Remainder of a refused body that is read and discarded so that the client can read "
                + "the reason of the refusal."),
    ]

    private static let timeouts: [Setting] = [
        .duration(
            "SLUICE_HEAD_TIMEOUT", \.edge.headTimeout, shortest...longest,
            "Time from a request's first byte to the end of its head; a slower request gets a "
                + "408."),
        .duration(
            "SLUICE_BODY_TIMEOUT", \.edge.bodyTimeout, shortest...longest,
            "Time without a byte of an incomplete body; after it the request gets a 408."),
        .integer(
            "SLUICE_BODY_BYTES_PER_SECOND_MIN", \.edge.bodyBytesPerSecondMin, 0...(1 << 30),
            "Average rate of a body after SLUICE_BODY_TIMEOUT; a slower body gets a 408."),
        .duration(
            "SLUICE_ACKNOWLEDGE_WITHIN", \.edge.acknowledgeWithin, shortest...longest,
            "Time from a body's last byte to its commit. A later batch gets a 503, although it may "
                + "still be committed."),
        .duration(
            "SLUICE_IDLE_TIMEOUT", \.edge.idleTimeout, shortest...longest,
            "Time between a response and the next request; after it the connection is closed."),
        .duration(
            "SLUICE_SEND_TIMEOUT", \.edge.sendTimeout, shortest...longest,
            "Time in which a client does not read its responses; after it the connection is "
                + "closed."),
        .duration(
            "SLUICE_LINGER_TIMEOUT", \.edge.lingerTimeout, shortest...longest,
            "Time for the remainder of a refused body, and for a client to close a connection that "
                + "the server has closed."),
        .duration(
            "SLUICE_SWEEP_INTERVAL", \.edge.sweepInterval, .milliseconds(10)...(.seconds(10)),
            "How often each thread checks for expired time-outs."),
        .duration(
            "SLUICE_SHUTDOWN_WITHIN", \.edge.shutdownWithin, shortest...longest,
            "Time after Ctrl-C or SIGTERM to finish open requests; then their connections are "
                + "closed."),
    ]

    private static let lanes: [Setting] = [
        .integer(
            "SLUICE_LANES", \.ingestion.lanes, 0...256,
            "Number of lanes, each with a connection to PostgreSQL. 0: one per core, from 2 to 8; "
                + "on Citus about three per node. On Citus a quarter of the lanes is for the "
                + "coordinator."),
        .flag(
            "SLUICE_LANES_TO_NODES", \.ingestion.goesToOwners,
            "On Citus: lanes connect to the nodes that hold the rows, under the names that the "
                + "coordinator knows, with user, password and TLS of SLUICE_DATABASE_URL. Off: all rows "
                + "go through SLUICE_DATABASE_URL."),
        .bytes(
            "SLUICE_LANE_BYTES_MAX", \.ingestion.laneBytesMax, (64 << 10)...(1 << 40),
            "Batches queued for one lane; further ones get a 503."),
        .flag(
            "SLUICE_ROLLUPS", \.sumsHours,
            "Sum up measurements and distances of each hour after it is over. Off: another node "
                + "does this, or the views read all rows."),
        .bytes(
            "SLUICE_GROUP_BYTES_MAX", \.ingestion.groupBytesMax, (4 << 10)...(1 << 30),
            "Size of a transaction of more than one batch."),
        .duration(
            "SLUICE_PATIENCE", \.ingestion.patience, shortest...longest,
            "How long a group is retried before its batches go to the spool."),
        .duration(
            "SLUICE_ATTEMPT_MAX", \.ingestion.attemptMax, shortest...longest,
            "Time for one attempt at a transaction; after it the connection is dropped."),
        .duration(
            "SLUICE_CONNECT_MAX", \.ingestion.connectMax, shortest...longest,
            "How long to wait for a connection to PostgreSQL."),
        .duration(
            "SLUICE_START_WAIT_MAX", \.startWaitMax, shortest...longest,
            "How long a node that has served before waits for the database at its start. Then it "
                + "listens, and batches go to the spool until the database is usable."),
        .duration(
            "SLUICE_LOCK_WAIT_MAX", \.ingestion.lockWaitMax, shortest...longest,
            "How long a transaction waits for a lock of another session before it is retried."),
        .duration(
            "SLUICE_BACKOFF_MIN", \.ingestion.backoffMin, .milliseconds(1)...(.seconds(60)),
            "First pause after a failed attempt. It doubles with each failure."),
        .duration(
            "SLUICE_BACKOFF_MAX", \.ingestion.backoffMax, .milliseconds(1)...(.seconds(600)),
            "Longest pause between attempts to reach an unreachable database."),
        .duration(
            "SLUICE_HEARTBEAT_MAX", \.ingestion.heartbeatMax, shortest...longest,
            "Time for the small transaction that tests whether the database accepts rows again."),
        .integer(
            "SLUICE_DAYS_PER_MINUTE_MAX", \.ingestion.daysPerMinuteMax, 1...100_000,
            "Days per minute for which partitions are created, for all devices together. One day "
                + "takes about 25 ms of the database."),
        .integer(
            "SLUICE_DAYS_PER_DEVICE_MAX", \.ingestion.daysPerDeviceMax, 1...100_000,
            "Days per 24 hours for which partitions are created because of one device. Limits the "
                + "damage of a wrong clock. Readings of further days stay in the spool, or in "
                + "quarantine."),
        .duration(
            "SLUICE_DAY_STEP_MAX", \.ingestion.dayStepMax, shortest...longest,
            "Time for creating the partitions of a few days. No batch waits for this."),
        .duration(
            "SLUICE_LOOK_INTERVAL", \.ingestion.lookInterval, .milliseconds(10)...(.seconds(10)),
            "How often lanes check their connections, and the spool checks the lanes."),
        .choice(
            "SLUICE_DURABILITY", \.ingestion.durability,
            "What a 200 guarantees. committed: the commit. replicated: also that the standbys have "
                + "it on disk. If that takes longer than SLUICE_PATIENCE, the answer is a 202 from "
                + "the spool."),
        .bytes(
            "SLUICE_UNREPLICATED_BYTES_MAX", \.ingestion.unreplicatedBytesMax, 0...(1 << 40),
            "Memory for acknowledged batches that the standbys do not have yet. A failover would "
                + "lose them; Sluice then writes them to the new primary. Not used without "
                + "standbys. 0, or SLUICE_SPOOL_BYTES_MAX=0: off."),
        .text(
            "SLUICE_NODE", \.ingestion.node,
            "Name of this process in the table of nodes. Blank: the host name."),
    ]

    private static let spool: [Setting] = [
        .bytes(
            "SLUICE_SPOOL_BYTES_MAX", \.spool.bytesMax, 0...(1 << 50),
            "Disk space for batches that the database does not take now. When it is full, batches "
                + "get a 503. 0: no spool; batches get a 503 at once, a server that starts while its "
                + "database is unreachable fails, and SLUICE_UNREPLICATED_BYTES_MAX is off."),
        .bytes(
            "SLUICE_SPOOL_FREE_BYTES_MIN", \.spool.freeBytesMin, 0...(1 << 50),
            "Space that the spool leaves free on its file system, so that the database can go on."),
        .bytes(
            "SLUICE_SPOOL_SEGMENT_BYTES", \.spool.segmentBytesMax, (1 << 20)...(1 << 30),
            "Size of a spool file. It is raised if the largest record needs more."),
        .integer(
            "SLUICE_SPOOL_SPARE_SEGMENTS_MAX", \.spool.spareSegmentsMax, 0...1000,
            "Number of empty files that are kept for reuse."),
        .bytes(
            "SLUICE_SPOOL_RECORD_BYTES_MAX", \.spool.recordBytesMax, (1 << 20)...(1 << 30),
            "Size of a spool record. It is raised to at least 1.5 times SLUICE_BODY_BYTES_MAX, so "
                + "that any batch fits."),
        .bytes(
            "SLUICE_SPOOL_BUFFER_BYTES_MAX", \.spool.bufferBytesMax, (64 << 10)...(1 << 30),
            "Compressed records that are written together."),
        .bytes(
            "SLUICE_SPOOL_GROUP_BYTES_MAX", \.ingestion.spoolRecordBytesMax, (4 << 10)...(1 << 30),
            "Size of a spool record of more than one batch."),
        .bytes(
            "SLUICE_SPOOL_INTAKE_BYTES_MAX", \.ingestion.spoolIntakeBytesMax,
            (64 << 10)...(1 << 40), "Batches that are queued to be written to the spool."),
        .duration(
            "SLUICE_STALL_MAX", \.ingestion.stallMax, shortest...longest,
            "How long a batch waits for its lane before it goes to the spool."),
        .bytes(
            "SLUICE_REPLAY_BYTES_MAX", \.ingestion.replayBytesMax, (64 << 10)...(1 << 40),
            "Size of the records that are being replayed at the same time."),
        .bytes(
            "SLUICE_REPLAY_GROUP_BYTES_MAX", \.ingestion.replayGroupBytesMax,
            (4 << 10)...(1 << 30),
            "Size of a transaction of the replay while there are live batches, at least one batch. "
                + "A live batch waits at most for one such transaction. Without live batches "
                + "SLUICE_GROUP_BYTES_MAX is the limit."),
        .integer(
            "SLUICE_REPLAY_SHARE_PERCENT", \.ingestion.replaySharePercent, 1...100,
            "Share of each lane's time that the replay may use while there are live batches."),
        .duration(
            "SLUICE_REPLAY_RETRY", \.ingestion.replayRetry, .milliseconds(10)...(.seconds(600)),
            "Pause before a spool record that the database did not take is replayed again. It "
                + "doubles with each failure."),
        .duration(
            "SLUICE_REPLAY_RETRY_MAX", \.ingestion.replayRetryMax,
            .milliseconds(10)...(.seconds(3600)),
            "Longest pause before such a record is replayed again."),
    ]

    private static let readings: [Setting] = [
        .duration(
            "SLUICE_READING_AGE_MAX", \.limits.ageMax, .seconds(60)...(.seconds(36_525 * 86_400)),
            "An older reading is quarantined, because a wrong clock must not create thousands of "
                + "partitions. It can be requeued after this limit is raised. An older capture is "
                + "refused."),
        .duration(
            "SLUICE_READING_AHEAD_MAX", \.limits.aheadMax, .zero...(.seconds(366 * 86_400)),
            "A reading that is further ahead of the server's clock is quarantined, a capture is "
                + "refused."),
        .bytes(
            "SLUICE_READING_BYTES_MAX", \.limits.readingBytesMax, 64...(16 << 20),
            "A larger reading is quarantined, and only this much of it is kept."),
        .integer(
            "SLUICE_READING_DEPTH_MAX", \.limits.readingDepthMax, 2...512,
            "Nesting depth of objects and arrays; a deeper reading is quarantined."),
        .integer(
            "SLUICE_QUARANTINED_MAX", \.limits.quarantinedMax, 1...10_000_000,
            "Faulty readings in one batch; a batch with more is refused as a whole."),
    ]

    private static let operation: [Setting] = [
        .choice("SLUICE_LOG_LEVEL", \.logLevel, "The lowest level that is logged."),
        .choice(
            "SLUICE_LOG_FORMAT", \.logFormat,
            "logfmt for people, json for log collectors. Both go to standard error."),
        .duration(
            "SLUICE_KEY_REFRESH_INTERVAL", \.keyRefreshInterval,
            .milliseconds(100)...(.seconds(60)),
            "How often the keys are read from the database. A revoked key may work for this long."),
        .bytes(
            "SLUICE_KEY_BYTES_PER_SECOND", \.keyBytesPerSecond, 0...(1 << 40),
            "Body bytes per second that each key may send to this process; more get a 429. 0: no "
                + "limit. A key created with --bytes-per-second has its own limit."),
    ]

    /// A size as settings spell it: `512KiB`, `2MiB`.
    public static func bytes(_ text: String) -> Int? {
        Quantity.bytes(text)
    }

    /// A length of time as settings spell it: `90d`, `12h`, `30s`.
    public static func duration(_ text: String) -> Duration? {
        Quantity.duration(text)
    }

    /// The usual limits of a length of time.
    public static let shortest: Duration = .milliseconds(100)
    /// See ``shortest``.
    public static let longest: Duration = .seconds(86_400)
}
