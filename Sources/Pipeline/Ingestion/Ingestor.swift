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
    private let tail: Tail

    /// - Parameters:
    ///   - settings: of the database; each lane opens a connection of its own.
    ///   - coordinator: on Citus, where definitions are changed and units are recorded; nil: where
    ///     `settings` lead.
    ///   - shards: on Citus, where the rows are; nil: plain PostgreSQL, or not known yet.
    ///   - spool: recovered, and owned by the ingestor from now on; nil: batches that the database
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
        self.tail = tail ?? Tail(bytesMax: 0)
        core = IngestionCore(
            SystemWorld(
                configuration, settings, coordinator: coordinator ?? settings, clock: clock),
            spool: spool, tail: self.tail, unitKinds: unitKinds, shards: shards,
            configuration: configuration, registry: registry, logger: logger)
    }

    /// Connects all lanes.
    ///
    /// - Returns: whether at least one can write; the others keep trying by themselves.
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

    /// On Citus: lanes use this table from now on, and there are more of them if it has more nodes
    /// than there are lanes for. Queued batches are written where it says. One call at a time.
    ///
    /// - Returns: whether it differs from the one in force.
    public func route(by shards: ShardTable) async -> Bool {
        // From now on workers commit the rows, and nothing watches their standbys.
        tail.switchOff()
        return await withCheckedContinuation { continuation in
            core.route(by: shards) { continuation.resume(returning: $0) }
        }
    }

    /// On Citus: whether a node has contradicted the table since the last call.
    public func takeRouteDoubt() -> Bool { core.placements.takeDoubt() }

    /// On Citus: lanes that do not write straight to their nodes, and why.
    package var detour: Detour? { core.detour }

    /// As far as the lanes know; an idle lane checks a few times a second.
    public var isDatabaseUp: Bool { core.isDatabaseUp }

    /// What an answer that says "committed" promises.
    public var durability: Durability { core.durability }

    /// Batches are taken, into the database or into the spool.
    public var isAvailable: Bool { core.isAvailable }

    /// What is in the spool, as of its last change; nil without a spool.
    public var spoolFigures: SpoolFigures? { core.spoolFigures }

    /// The records read so far that stay in the spool for a version that knows their kinds.
    public var keptRecords: KeptRecords { core.keptRecords }

    /// Why a lane does not write, as it found at its last attempt; nil once all do.
    public var failure: PostgresError? { core.failure }

    /// See ``BatchSink``.
    public func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? {
        core.refusal(forBytes: bytes, of: device)
    }

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
    /// A ``WorkUnit`` is committed; `result` is what its kind's statement returned. If the answer
    /// to the first COMMIT was lost, it is what the second call returned.
    case recorded(result: String)
    /// All of it is committed or on disk, to be committed when the database recovers.
    case spooled
    /// Neither the database nor the spool takes it now; nothing is promised.
    case unavailable(retryAfter: Duration)
    /// The database refuses it, and a retry would not help.
    case refused(sqlState: String)
}

extension CommitOutcome {
    var isCommitted: Bool {
        switch self {
        case .committed, .recorded: true
        case .spooled, .unavailable, .refused: false
        }
    }

    /// Nobody knows when a database recovers, so clients retry a few times a minute.
    static var awayTime: Duration { .seconds(10) }
}

/// The answer to one offer.
public struct Acknowledgement: Sendable, Equatable {
    /// As given with the offer.
    public let ticket: UInt64
    /// The worst of the batch's parts.
    public let outcome: CommitOutcome

    /// For stand-ins of the lanes in tests.
    public init(ticket: UInt64, outcome: CommitOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// Where answers go; one object for each event loop.
public protocol AcknowledgementTarget: AnyObject, Sendable {
    /// Called with all of a group's answers for this target, on the thread of a lane, the spool,
    /// the tail's watcher or an offer. It must not block.
    func deliver(_ acknowledgements: [Acknowledgement])
}
