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
    ///   - tail: keeps what may be on the primary only; nil: nothing does.
    ///   - unitKinds: all that will be offered and that may be found in the spool; records with units
    ///     of other kinds stay there, see ``keptRecords``.
    ///   - registry: gets the lanes' and the spool's instruments.
    ///   - clock: the wall clock.
    public init(
        configuration: IngestionConfiguration, settings: ConnectionSettings,
        coordinator: ConnectionSettings? = nil, shards: ShardTable? = nil,
        spool: sending Spool<DirectoryDisk>?, tail: Tail? = nil, unitKinds: [UnitKind],
        registry: Registry, logger: Logger, clock: @escaping @Sendable () -> Timestamp
    ) {
        core = IngestionCore(
            SystemWorld(
                configuration, settings, coordinator: coordinator ?? settings, clock: clock),
            spool: spool, tail: tail ?? Tail(bytesMax: 0), unitKinds: unitKinds, shards: shards,
            configuration: configuration, registry: registry, logger: logger)
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

    /// On Citus: lanes that do not write straight to their nodes, and why.
    package var detour: Detour? { core.detour }

    /// As far as the lanes know: an idle lane looks some times a second.
    public var isDatabaseUp: Bool { core.isDatabaseUp }

    /// What an answer that says "committed" promises.
    public var durability: Durability { core.durability }

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

/// What became of one batch or unit.
public enum CommitOutcome: Sendable, Equatable {
    /// All of a batch is committed; the three numbers add up to what was received. `refusals` are
    /// those of `quarantined` that the scanner does not know of.
    case committed(
        stored: Int, duplicates: Int, quarantined: Int, refusals: LaneRefusals = LaneRefusals())
    /// A ``WorkUnit`` is committed, and this is what its kind's statement said. When the answer to
    /// the first COMMIT was lost, it is what the statement said when it was called once more.
    case recorded(result: String)
    /// All of it is committed or on disk, to be committed when the database is back.
    case spooled
    /// Neither the database nor the spool takes it now; nothing is promised.
    case unavailable(retryAfter: Duration)
    /// The database refuses for a reason that waiting does not mend.
    case refused(sqlState: String)
}

extension CommitOutcome {
    var isCommitted: Bool {
        switch self {
        case .committed, .recorded: true
        case .spooled, .unavailable, .refused: false
        }
    }

    /// Nobody knows when a database comes back; clients come again some times a minute.
    static var awayTime: Duration { .seconds(10) }
}

/// The answer to one offer.
public struct Acknowledgement: Sendable, Equatable {
    /// As given with the offer.
    public let ticket: UInt64
    /// The worst of the batch's parts.
    public let outcome: CommitOutcome

    /// For whoever stands in for the lanes in tests.
    public init(ticket: UInt64, outcome: CommitOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// Where answers go; one object for each event loop.
public protocol AcknowledgementTarget: AnyObject, Sendable {
    /// Called on a lane's queue, once a commit with all of its answers for this target. It must not
    /// block: one hop to the event loop and back.
    func deliver(_ acknowledgements: [Acknowledgement])
}
