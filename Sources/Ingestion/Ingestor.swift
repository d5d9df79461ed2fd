public import Access
public import Instruments
public import Logging
public import Postgres
public import Readings
public import Scanning
public import Spooling

/// ``IngestionCore`` on this machine: libpq, Dispatch, a directory.
public final class Ingestor: BatchSink {
    private let core: IngestionCore<SystemWorld>

    /// - Parameters:
    ///   - settings: of the database; each lane opens a connection of its own.
    ///   - coordinator: on Citus, where definitions are changed and units are recorded; nil: where
    ///     `settings` lead.
    ///   - shards: on Citus, where the rows are; nil: plain PostgreSQL, or not known yet.
    ///   - spool: recovered, and the ingestor's alone from now on; nil: batches that the database
    ///     doesn't take are turned away.
    ///   - unitKinds: all that will be offered and that may be found in the spool; records with units
    ///     of other kinds stay there, see ``keptRecords``.
    ///   - registry: gets the lanes' and the spool's instruments.
    ///   - clock: the wall clock.
    public init(
        configuration: IngestionConfiguration, settings: ConnectionSettings,
        coordinator: ConnectionSettings? = nil, shards: ShardTable? = nil,
        spool: sending Spool<DirectoryDisk>?, unitKinds: [UnitKind], registry: Registry,
        logger: Logger, clock: @escaping @Sendable () -> Timestamp
    ) {
        core = IngestionCore(
            SystemWorld(
                configuration, settings, coordinator: coordinator ?? settings, clock: clock),
            spool: spool, unitKinds: unitKinds, shards: shards, configuration: configuration,
            registry: registry, logger: logger)
    }

    /// Connects all lanes.
    ///
    /// - Returns: whether at least one got a connection; the others keep trying by themselves.
    public func connect() async -> Bool {
        await withCheckedContinuation { continuation in
            core.start { continuation.resume() }
        }
        return isDatabaseUp
    }

    /// Takes no more batches, commits and answers those that were taken; what is not committed by
    /// `deadline` is spooled and answered. Closes the connections and the spool.
    public func finish(by deadline: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            core.finish(by: deadline) { continuation.resume() }
        }
    }

    /// On Citus: lanes go by this table from now on. Batches that wait are written where they belong
    /// by then.
    ///
    /// - Returns: whether it differs from the one in force.
    public func route(by shards: ShardTable) -> Bool { core.routes.install(shards) }

    /// On Citus: whether a node did not do, since the last call, what the table promises.
    public func takeRouteDoubt() -> Bool { core.routes.takeDoubt() }

    /// As far as the lanes know: an idle lane looks some times a second.
    public var isDatabaseUp: Bool { core.isDatabaseUp }

    /// Batches are taken, into the database or into the spool.
    public var isAvailable: Bool { core.isAvailable }

    /// What is in the spool, as of its last change; nil when there is none.
    public var spoolFigures: SpoolFigures? { core.spoolFigures }

    /// What stays in the spool for a version that knows its kinds, of what was read so far.
    public var keptRecords: KeptRecords { core.keptRecords }

    /// Why a lane does not write, as it found at its last attempt; nil once all do.
    public var failure: PostgresError? { core.failure }

    /// Asked with a request's head; no lane is chosen yet.
    public func refusal(forBytes bytes: Int) -> Offer? { core.refusal(forBytes: bytes) }

    /// See ``BatchSink``.
    public func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        core.offer(batch, key: key, ticket: ticket, replyTo: replyTo)
    }

    /// See ``BatchSink``.
    public func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        core.offer(unit, ticket: ticket, replyTo: replyTo)
    }

    /// See ``BatchSink``.
    public func dispatch() { core.dispatch() }
}
