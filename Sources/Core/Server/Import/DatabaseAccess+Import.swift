import Imports
import Ingest
import Postgres
import Readings

extension DatabaseAccess {
    /// What an import is asked to do.
    public struct ImportOrder {
        /// The files, in order.
        public var paths: [String]
        /// Of readings that name no device.
        public var device: String?
        /// Of readings that name no user.
        public var user: String?
        /// Begins each file at its start, although an earlier run came further.
        public var isFresh: Bool

        /// - Parameter isFresh: ignores how far an earlier run came.
        public init(paths: [String], device: String?, user: String?, isFresh: Bool) {
            self.paths = paths
            self.device = device
            self.user = user
            self.isFresh = isFresh
        }
    }

    /// Imports files through this process's lanes, beside a server or without one; see
    /// ``FileImport``. A file that is wrong does not keep the others from being imported.
    ///
    /// - Parameters:
    ///   - isStopAsked: whether to end after the page at hand.
    ///   - progress: called often with the file, the bytes done and those of the file, and what was
    ///     done so far.
    ///   - done: called for each file with what became of it, and with the error if it could not be
    ///     read to its end; without a report if it could not be read at all.
    /// - Returns: false if it was stopped.
    /// - Throws: `PostgresError`; the checkpoint of the file at hand is valid.
    public borrowing func importFiles(
        _ order: ImportOrder, _ configuration: ServiceConfiguration,
        isStopAsked: @escaping () -> Bool,
        progress: @escaping (String, Int, Int, ImportReport) -> Void,
        done: (String, ImportReport?, (any Error)?) -> Void
    ) throws -> Bool {
        // Faults that can be seen at once are said before the database is asked for anything.
        var sources: [ImportSource] = []
        for path in order.paths {
            do {
                sources.append(try ImportSource(path))
            } catch {
                done(path, nil, error)
            }
        }
        guard !sources.isEmpty else { return true }
        let directory = DataDirectory(configuration.dataDirectory)
        return try withLanes(configuration, label: "import") { ingestor, connection in
            connection.deadline = .now + .seconds(30 * 24 * 3600)
            for source in sources {
                if try Self.isOwn(source, connection) {
                    done(source.path, nil, ImportFault.ownArchive(path: source.path))
                    continue
                }
                let context = try Self.context(
                    order, key: FileImport.keyName(source.path), connection)
                var checkpoint = try ImportCheckpoint(
                    of: source.place, in: directory, isFresh: order.isFresh)
                var savedAt = ContinuousClock.now
                let work = try FileImport(
                    ingestor: ingestor, connection: connection, configuration: configuration,
                    path: source.path, skipping: checkpoint.done, isStopAsked: isStopAsked
                ) { count in
                    // A checkpoint that is a little behind costs a little work.
                    guard .now - savedAt > .seconds(1) || isStopAsked() else { return }
                    savedAt = .now
                    try? checkpoint.save(done: count)
                }
                let outcome = Result {
                    let rest = try source.read(
                        context,
                        progress: { progress(source.path, $0, $1, work.report) },
                        { try work.add($0) })
                    try work.finish()
                    return rest
                }
                switch outcome {
                case .success(let rest):
                    checkpoint.remove()
                    done(source.path, work.report(with: rest), nil)
                case .failure(is ImportStop):
                    done(source.path, work.report, nil)
                    return false
                case .failure(let error as PostgresError):
                    done(source.path, work.report, error)
                    throw error
                case .failure(let error):
                    // The readings before the fault are good.
                    try work.finish()
                    done(source.path, work.report, error)
                }
            }
            return true
        }
    }

    /// A database takes no readings for days that have left it, so that they can come back whole.
    private static func isOwn(
        _ source: ImportSource, _ connection: Connection
    ) throws(PostgresError) -> Bool {
        guard let id = source.archiveID else { return false }
        var parameters = Parameters()
        parameters.append(text: id)
        return try connection.query("SELECT 1 FROM sluice.archive WHERE id::text = $1", parameters)
            .count > 0
    }

    private static func context(
        _ order: ImportOrder, key: String, _ connection: Connection
    ) throws(PostgresError) -> ImportContext {
        let rows = try connection.query(
            "SELECT name, code::int4, nullif(unit, '') FROM sluice.metric")
        var metrics: [String: ImportContext.Metric] = [:]
        for row in 0..<rows.count {
            metrics[rows.string(row, 0)] = ImportContext.Metric(
                code: Int16(truncatingIfNeeded: rows.int32(row, 1)),
                unit: rows.isNull(row, 2) ? nil : rows.string(row, 2))
        }
        return ImportContext(device: order.device, user: order.user, metrics: metrics) {
            try Self.name($0, unit: $1, ofKey: key, connection)
        }
    }

    /// Bytes of a unit that a new metric gets.
    private static let unitBytesMax = 64

    /// The metric with a name that is not in the views. If this import brings it, it gets the unit.
    private static func name(
        _ name: String, unit: String?, ofKey key: String, _ connection: Connection
    ) throws(PostgresError) -> ImportContext.Metric? {
        let codes = try MetricNaming.codes(of: [name], ofKey: key, on: connection)
        guard let code = codes[name] else { return nil }
        var parameters = Parameters()
        parameters.append(int2: code)
        parameters.append(text: key)
        parameters.append(text: unit.flatMap { $0.utf8.count <= unitBytesMax ? $0 : nil })
        _ = try connection.query(
            """
            UPDATE sluice.metric m SET unit = $3
            FROM sluice.metric_name n
            WHERE m.code = $1 AND m.unit = '' AND n.code = $1 AND n.named_by = $2
                AND $3 IS NOT NULL
            """, parameters)
        var known = Parameters()
        known.append(int2: code)
        let rows = try connection.query(
            "SELECT unit FROM sluice.metric WHERE code = $1 AND unit <> ''", known)
        return ImportContext.Metric(code: code, unit: rows.count == 0 ? nil : rows.string(0, 0))
    }
}
