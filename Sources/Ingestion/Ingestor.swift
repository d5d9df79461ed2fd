public import Access
import Channels
public import Instruments
public import Logging
public import Postgres
import Readings
public import Scanning

/// All lanes: takes batches, cuts them by lane, and sees that each gets one answer.
public final class Ingestor: BatchSink {
    private let lanes: [Lane]

    /// - Parameters:
    ///   - settings: of the database; each lane opens a connection of its own.
    ///   - registry: gets the lanes' instruments.
    public init(
        configuration: IngestionConfiguration, settings: ConnectionSettings, registry: Registry,
        logger: Logger
    ) {
        let instruments = LaneInstruments(registry)
        lanes = (0..<configuration.laneCount).map { number in
            Lane(
                number: number, configuration: configuration, settings: settings,
                instruments: instruments, logger: logger)
        }
        for lane in lanes {
            let label = [MetricLabel("lane", "\(lane.number)")]
            registry.gauge(
                "sluice_lane_waiting_batches", help: "Batches that wait for a lane.",
                labels: label
            ) { Double(lane.depth.elements) }
            registry.gauge(
                "sluice_lane_waiting_bytes", help: "Bytes of batches that wait for a lane.",
                labels: label
            ) { Double(lane.depth.bytes) }
            registry.gauge(
                "sluice_lane_up", help: "1 while the lane has a database connection.",
                labels: label
            ) { lane.isUp ? 1 : 0 }
        }
    }

    /// Connects all lanes.
    ///
    /// - Returns: whether at least one got a connection; the others keep trying by themselves.
    public func connect() async -> Bool {
        for lane in lanes { _ = await lane.connect() }
        return isDatabaseUp
    }

    /// Takes no more batches, commits and answers those that were taken, closes the connections.
    public func finish() async {
        await withTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { await lane.finish() } }
        }
    }

    /// As far as the lanes know: an idle lane looks once a second.
    public var isDatabaseUp: Bool { lanes.contains { $0.isUp } }

    /// Asked with a request's head; no lane is chosen yet.
    public func refusal(forBytes bytes: Int) -> Offer? {
        guard isDatabaseUp else { return .unavailable(retryAfter: lanes[0].retryAfter) }
        // Whose it is isn't known yet; it is turned away when it fits nowhere.
        if lanes.contains(where: { $0.hasRoom(for: bytes) }) { return nil }
        return .full(retryAfter: lanes[0].retryAfter)
    }

    /// Cuts the batch by device and hands each part to its lane.
    public func offer(
        _ batch: ScannedBatch, key: KeyID, ticket: UInt64, replyTo: any AcknowledgementTarget
    ) -> Offer {
        for parcel in batch.parcels {
            let lane = lane(of: parcel)
            guard lane.isUp else { return .unavailable(retryAfter: lane.retryAfter) }
            guard lane.hasRoom(for: parcel.memory) else {
                return .full(retryAfter: lane.retryAfter)
            }
        }
        let receipt = Receipt(ticket: ticket, target: replyTo, parcels: batch.parcels.count)
        let now = ContinuousClock.now
        for (index, parcel) in batch.parcels.enumerated() {
            let lane = lane(of: parcel)
            let consignment = Consignment(
                parcel: parcel, keyName: key.name, receipt: receipt, offeredAt: now)
            if lane.offer(consignment, bytes: parcel.memory) == .taken { continue }
            // Nothing is under way yet: the whole batch is turned away.
            if index == 0 { return .full(retryAfter: lane.retryAfter) }
            // The room went to others meanwhile, and parts are under way: the answer says so.
            let outcome = CommitOutcome.unavailable(retryAfter: lane.retryAfter)
            if let acknowledgement = receipt.settle(outcome) { replyTo.deliver([acknowledgement]) }
        }
        return .taken
    }

    /// Wakes the lanes; cheap for those that have nothing new.
    public func dispatch() {
        for lane in lanes { lane.dispatch() }
    }

    private func lane(of parcel: Parcel) -> Lane {
        // The key is a hash already.
        lanes[Int(truncatingIfNeeded: UInt64(bitPattern: parcel.key.value) >> 32) % lanes.count]
    }
}
