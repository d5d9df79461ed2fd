package import Auth
import Channels
import Glibc
package import Instruments
package import Logging
package import Postgres
package import Readings
package import Scanner
package import SpoolLog
import Synchronization

/// All lanes and the spool, in one world: takes batches, sends each where it can be kept, and sees
/// that each gets one answer.
package final class IngestionCore<Outside: World>: BatchSink {
    private let outside: Outside
    private let lanes: Lane<Outside>.Book
    private let makeLane: @Sendable (Int) -> Lane<Outside>
    private let configuration: IngestionConfiguration
    /// nil: there is no spool, and a batch that the database doesn't take is turned away.
    private let keeper: SpoolKeeper<Outside>?
    private let units = UnitLedger()
    private let placements: PlacementBook
    private let days: DayMaker<Outside>
    private let unreplicated: UnreplicatedCommits

    /// The times at which units are received.
    private let stamps = RisingStamps()

    /// - Parameters:
    ///   - spool: recovered, and owned by this core from now on; nil: batches that the database
    ///     doesn't take are turned away.
    ///   - unreplicated: used only by this core and by the watcher of standbys.
    ///   - unitKinds: those that may be in the spool, each with its own name.
    ///   - shards: on Citus, where rows are; nil: plain PostgreSQL, or not known yet.
    ///   - registry: gets the lanes' and the spool's instruments.
    package init(
        _ outside: Outside, spool: sending Spool<Outside.SpoolDisk>?,
        unreplicated: UnreplicatedCommits = UnreplicatedCommits(bytesMax: 0), unitKinds: [UnitKind],
        shards: ShardTable? = nil,
        configuration: IngestionConfiguration, registry: Registry,
        logger: Logger
    ) {
        self.outside = outside
        self.unreplicated = unreplicated
        self.configuration = configuration
        let laneCount = Self.laneCount(configuration, shards)
        let placements = PlacementBook(
            shards, lanes: laneCount, goesToOwners: configuration.goesToOwners)
        self.placements = placements
        let keeper = spool.map { spool in
            let ledger = SpoolLedger(SpoolBook(of: .readings))
            registry.add(ledger)
            let unitLedger = SpoolLedger(SpoolBook(of: .units))
            registry.add(unitLedger)
            return SpoolKeeper(
                outside: outside, spool: spool, unreplicated: unreplicated, unitKinds: unitKinds,
                placements: placements, configuration: configuration,
                instruments: SpoolInstruments(registry), ledger: ledger, unitLedger: unitLedger,
                logger: logger)
        }
        registry.add(units)
        let instruments = LaneInstruments(registry)
        let days = DayMaker(
            outside, placements: placements, configuration, registry: registry, logger: logger)
        self.days = days
        makeLane = { [intake = keeper?.intake] number in
            Lane(
                number: number, outside: outside, placements: placements,
                configuration: configuration, days: days, instruments: instruments,
                overflow: intake, unreplicated: unreplicated, logger: logger)
        }
        lanes = Lane<Outside>.Book((0..<laneCount).map(makeLane))
        self.keeper = keeper
        registry.add(LaneFigures(lanes: lanes))
        registry.gauge(
            "sluice_lanes_not_direct",
            help: "On Citus, lanes whose rows do not go straight to the node that has them."
        ) { [lanes] in
            Double(placements.current.lanesNotDirect { lanes[$0].failure != nil })
        }
        if let keeper { Self.register(keeper, in: registry) }
    }

    /// The configured number, or one for the cluster or, without one, for this machine.
    private static func laneCount(
        _ configuration: IngestionConfiguration, _ shards: ShardTable?
    ) -> Int {
        if configuration.lanes > 0 { return configuration.lanes }
        if let shards { return ShardPlacement.laneCount(for: shards) }
        return min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 8)
    }

    private static func register(_ keeper: SpoolKeeper<Outside>, in registry: Registry) {
        registry.gauge("sluice_spool_bytes", help: "Bytes of the spool's files.") {
            Double(keeper.figures.bytesOnDisk)
        }
        registry.gauge("sluice_spool_segments", help: "Files of the spool with something in them.")
        {
            Double(keeper.figures.segments)
        }
        registry.gauge(
            "sluice_spool_unread_segments",
            help: "Files of the spool of which a part can't be read now; they are tried again."
        ) {
            Double(keeper.figures.unread)
        }
    }

    /// Tries once to reach the database, and starts to replay the spool.
    ///
    /// - Parameter done: called when all lanes have tried.
    package func start(_ done: @escaping @Sendable () -> Void) {
        keeper?.start(lanes)
        days.start { [weak lanes] in lanes?.all.forEach { $0.daysChanged() } }
        let lanes = lanes.all
        let countdown = Countdown(lanes.count + 1, done)
        days.lookNow { countdown.decrease() }
        for lane in lanes { lane.lookNow { countdown.decrease() } }
    }

    /// On Citus: places new offers by this table. There are more lanes from now on if the table has
    /// more nodes than there are lanes for. One call at a time.
    ///
    /// - Parameter done: called, once the new lanes have tried to reach the database, with whether
    ///   the table differs from the one in force.
    package func route(by table: ShardTable, _ done: @escaping @Sendable (Bool) -> Void) {
        let (lanes, placements) = (lanes, placements)
        let count = lanes.count
        var added = (count..<max(count, Self.laneCount(configuration, table))).map(makeLane)
        if !lanes.add(added) {
            for lane in added { lane.close(by: outside.now) {} }
            added = []
        }
        let countdown = Countdown(added.count + 1) {
            done(placements.install(table, lanes: lanes.count))
        }
        for lane in added { lane.lookNow { countdown.decrease() } }
        countdown.decrease()
    }

    /// Stops taking batches, commits and answers those that were taken, and closes the connections
    /// and the spool. From `deadline` on, batches are spooled and answered.
    package func finish(
        by deadline: ContinuousClock.Instant, _ done: @escaping @Sendable () -> Void
    ) {
        keeper?.stopReplay()
        days.stop()
        let keeper = keeper
        let lanes = lanes.close()
        let countdown = Countdown(lanes.count) {
            if let keeper { keeper.close(done) } else { done() }
        }
        for lane in lanes { lane.close(by: deadline) { countdown.decrease() } }
    }

    package var durability: Durability { unreplicated.durability }

    package var isDatabaseUp: Bool { lanes.all.contains { $0.isTaking } }

    package var isAvailable: Bool { isDatabaseUp || keeper?.intake.hasRoom(for: 0) == true }

    /// What is in the spool, as of its last change; nil without a spool.
    package var spoolFigures: SpoolFigures? { keeper?.figures }

    /// The records read so far that stay in the spool for a version that knows their kinds.
    package var keptRecords: KeptRecords { keeper?.keptRecords ?? KeptRecords() }

    /// Why a lane does not write, as it found at its last attempt; nil once all do.
    package var failure: PostgresError? { lanes.all.lazy.compactMap(\.failure).first }

    /// On Citus: lanes that do not write straight to their nodes, and why.
    package var detour: IndirectRoute? { placements.current.detour { lanes[$0].failure != nil } }

    /// On Citus: whether a node has contradicted the table since the last call.
    package func takeRouteDoubt() -> Bool { placements.takeDoubt() }

    /// Called with a request's head, and again once its device is known. Without a device it is
    /// turned away only when no lane has room.
    package func refusal(forBytes bytes: Int, of device: DeviceKey?) -> Offer? {
        let lane = device.map { self.lane(of: $0) }
        guard lane?.isTaking ?? isDatabaseUp else {
            return keeper?.intake.hasRoom(for: bytes) == true
                ? nil : .unavailable(retryAfter: IngestionConfiguration.awayTime)
        }
        let hasRoom =
            lane?.hasRoom(for: bytes) ?? lanes.all.contains { $0.hasRoom(for: bytes) }
        return hasRoom ? nil : .full(retryAfter: (lane ?? lanes[0]).retryAfter)
    }

    /// Hands each device's part of the batch to its lane, or the whole batch to the spool when one
    /// of those lanes is away or stalled.
    package func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer {
        let memory = batch.memory
        for deviceBatch in batch.deviceBatches {
            let lane = lane(of: deviceBatch.key)
            guard lane.isTaking else {
                return spool(batch, key: key, ticket: ticket, replyTo: replyTo)
            }
            guard lane.hasRoom(for: memory) else { return .full(retryAfter: lane.retryAfter) }
        }
        let receipt = Receipt(ticket: ticket, target: replyTo, parts: batch.deviceBatches.count)
        let now = outside.now
        let receivedAt = outside.wallClock
        // Lanes that have a part of this batch already; most batches are one device batch.
        var hasPart = [Bool](
            repeating: false, count: batch.deviceBatches.count > 1 ? lanes.all.count : 0)
        for (index, deviceBatch) in batch.deviceBatches.enumerated() {
            let lane = lane(of: deviceBatch.key)
            let item = PendingGroup.Item.deviceBatch(
                Pending(
                    payload: ReceivedDeviceBatch(
                        deviceBatch: deviceBatch, keyName: key.name, receivedAt: receivedAt),
                    receipt: receipt, offeredAt: now))
            let isSibling = index > 0 && lane.number < hasPart.count && hasPart[lane.number]
            let offer = lane.offer(item, isSibling: isSibling)
            if offer == .taken {
                if lane.number < hasPart.count { hasPart[lane.number] = true }
                continue
            }
            // Nothing is under way yet: the whole batch is turned away.
            if index == 0 {
                let time = lane.retryAfter
                return offer == .shareUsedUp
                    ? .shareUsedUp(retryAfter: time) : .full(retryAfter: time)
            }
            // Others took the room, and earlier parts are queued: the batch is answered as failed.
            let outcome = BatchOutcome.unavailable(retryAfter: lane.retryAfter)
            if let acknowledgement = receipt.settle(outcome) { replyTo.deliver([acknowledgement]) }
        }
        return .taken
    }

    private func spool(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: BatchTarget
    ) -> Offer {
        let unavailable = IngestionConfiguration.awayTime
        guard let intake = keeper?.intake else { return .unavailable(retryAfter: unavailable) }
        let receipt = Receipt(ticket: ticket, target: replyTo, parts: batch.deviceBatches.count)
        let (now, receivedAt) = (outside.now, outside.wallClock)
        for (index, deviceBatch) in batch.deviceBatches.enumerated() {
            let item = PendingGroup.Item.deviceBatch(
                Pending(
                    payload: ReceivedDeviceBatch(
                        deviceBatch: deviceBatch, keyName: key.name, receivedAt: receivedAt),
                    receipt: receipt, offeredAt: now))
            if index == 0 {
                guard intake.take(item) else { return .unavailable(retryAfter: unavailable) }
            } else if !intake.take(item, isSibling: true),
                let acknowledgement = receipt.settle(.unavailable(retryAfter: unavailable))
            {
                replyTo.deliver([acknowledgement])
            }
        }
        return .taken
    }

    /// Wakes the lanes; cheap for those that have nothing new.
    package func dispatch() {
        for lane in lanes.all { lane.dispatch() }
        keeper?.intake.dispatch()
    }

    private func lane(of device: DeviceKey) -> Lane<Outside> {
        let number = placements.current.lane(of: device)
        return lanes[number]
    }
}

/// Units of work use the same lanes and spool, with ledgers of their own.
extension IngestionCore {
    package func offer(
        _ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget
    ) -> Offer {
        precondition(
            keeper?.knows(unit.kind) != false,
            "BUG: units of kind \(unit.kind.name) could not be brought back from the spool")
        units.enter { $0.received += 1 }
        let offer = take(unit, ticket: ticket, replyTo: replyTo)
        if offer != .taken { units.enter { $0.turnedAway += 1 } }
        return offer
    }

    private func take(
        _ unit: WorkUnit, ticket: UInt64, replyTo: UnitTarget
    ) -> Offer {
        let number = placements.current.lane(ofUnit: unit.route)
        let lane = lanes[number]
        let received = ReceivedUnit(unit, receivedAt: stamps.next(outside.wallClock))
        let item = PendingGroup.Item.unit(
            Pending(
                payload: received, receipt: .sender(ticket: ticket, replyTo, units),
                offeredAt: outside.now))
        guard lane.isTaking else {
            return keeper?.intake.take(item) == true
                ? .taken : .unavailable(retryAfter: IngestionConfiguration.awayTime)
        }
        switch lane.offer(item) {
        case .taken: return .taken
        case .shareUsedUp: return .shareUsedUp(retryAfter: lane.retryAfter)
        case .full, .closed: return .full(retryAfter: lane.retryAfter)
        }
    }
}

/// The same for callers that can wait.
extension IngestionCore {
    /// Connects all lanes.
    ///
    /// - Returns: whether at least one can write; the others keep trying by themselves.
    package func connect() async -> Bool {
        await withCheckedContinuation { continuation in
            start { continuation.resume() }
        }
        return isDatabaseUp
    }

    /// See ``finish(by:_:)``.
    package func finish(by deadline: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            finish(by: deadline) { continuation.resume() }
        }
    }

    /// See ``route(by:_:)``.
    package func route(by shards: ShardTable) async -> Bool {
        // From now on workers commit the rows, and nothing watches their standbys.
        unreplicated.switchOff()
        return await withCheckedContinuation { continuation in
            route(by: shards) { continuation.resume(returning: $0) }
        }
    }
}

/// The core on this machine: libpq, Dispatch, a directory.
package typealias Ingestor = IngestionCore<SystemWorld>

extension Ingestor {
    /// - Parameters:
    ///   - settings: of the database; each lane opens a connection of its own.
    ///   - coordinator: on Citus, where definitions are changed and units are recorded; nil: where
    ///     `settings` lead.
    ///   - shards: on Citus, where the rows are; nil: plain PostgreSQL, or not known yet.
    ///   - spool: recovered, and owned by the ingestor from now on; nil: batches that the database
    ///     doesn't take are turned away.
    ///   - unreplicated: keeps what may be on the primary only; nil: nothing does.
    ///   - unitKinds: all that will be offered and that may be found in the spool; records with
    ///     units of other kinds stay there, see ``keptRecords``.
    ///   - registry: gets the lanes' and the spool's instruments.
    ///   - clock: the wall clock.
    package convenience init(
        configuration: IngestionConfiguration, settings: ConnectionSettings,
        coordinator: ConnectionSettings? = nil, shards: ShardTable? = nil,
        spool: sending Spool<DirectoryDisk>?, unreplicated: UnreplicatedCommits? = nil,
        unitKinds: [UnitKind],
        registry: Registry, logger: Logger, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            SystemWorld(
                configuration, settings, coordinator: coordinator ?? settings, clock: clock),
            spool: spool, unreplicated: unreplicated ?? UnreplicatedCommits(bytesMax: 0),
            unitKinds: unitKinds, shards: shards, configuration: configuration,
            registry: registry, logger: logger)
    }
}

/// Calls back when the last of several tasks has ended.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
        precondition(count > 0, "BUG: count=\(count)")
        left = Atomic(count)
        self.done = done
    }

    func decrease() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done() }
    }
}
