import Channels
import Instruments
import Logging
import Postgres
import Readings
import Scanning
import Synchronization

/// The part of a lane that runs on its queue: takes groups, gets them committed, answers.
final class LaneWorker: @unchecked Sendable {
    // Guard of `@unchecked`: everything mutable is touched on the lane's queue only; the two
    // atomics are for everybody.

    /// It has a connection, as far as it knows.
    let isUp = Atomic(false)
    /// Rate of commits of late; 0 before the first.
    let bytesPerSecond = Atomic(0)

    private let number: Int
    private let channel: BoundedChannel<Consignment>
    private let configuration: IngestionConfiguration
    private let settings: ConnectionSettings
    private let instruments: LaneInstruments
    private let logger: Logger

    private var writer: GroupWriter?
    /// Set when a group was given up for want of a connection: until there is one again, what waits
    /// is answered at once instead of having its patience tried group by group.
    private var givenUp: PostgresError?
    /// The last trouble that was logged.
    private var told: (error: PostgresError, at: ContinuousClock.Instant)?
    private var backoff: Duration
    private var isClosed = false
    /// When the next group may begin.
    private var nextStart = ContinuousClock.now
    private var group: [Consignment] = []

    init(
        number: Int, channel: BoundedChannel<Consignment>, configuration: IngestionConfiguration,
        settings: ConnectionSettings, instruments: LaneInstruments, logger: Logger
    ) {
        self.number = number
        self.channel = channel
        self.configuration = configuration
        var settings = settings
        settings.applicationName = "sluice lane \(number)"
        settings.sessionSettings.merge(Self.sessionSettings(configuration)) { $1 }
        self.settings = settings
        self.instruments = instruments
        var logger = logger
        logger[metadataKey: "lane"] = "\(number)"
        self.logger = logger
        backoff = configuration.backoffMin
    }

    private static func sessionSettings(_ configuration: IngestionConfiguration) -> [String: String]
    {
        [
            "lock_timeout": "\(configuration.lockWaitMax / .milliseconds(1))ms",
            // The claim must walk its array in order (see ClaimStatements), and every other
            // statement of a lane looks up few rows by index as well.
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
            "jit": "off",
        ]
    }

    // MARK: Groups

    /// Takes groups until nothing waits.
    func drain() {
        while true {
            keepInterval()
            group.removeAll(keepingCapacity: true)
            channel.take(upTo: configuration.groupBytesMax, into: &group)
            if group.isEmpty { return }
            let now = ContinuousClock.now
            nextStart = group.count > 1 ? now + configuration.groupIntervalMin : now
            for consignment in group { instruments.queueWait.record(now - consignment.offeredAt) }
            let outcomes = outcomes(of: group)
            answer(group, outcomes)
        }
    }

    /// Lets a group gather when the one before it has hardly begun.
    private func keepInterval() {
        let wait = nextStart - ContinuousClock.now
        if wait > .zero { Thread.pause(for: wait) }
    }

    private func outcomes(of group: [Consignment]) -> [CommitOutcome] {
        let entries = group.map { GroupWriter.Entry(parcel: $0.parcel, keyName: $0.keyName) }
        var settlement = GroupSettlement { entries throws(PostgresError) in
            try self.commit(entries)
        }
        let outcomes = settlement.settle(entries)
        instruments.groupsSplit.increment(by: settlement.splits)
        return outcomes
    }

    /// Answers all batches of a group that are complete now, one call for each event loop.
    private func answer(_ group: [Consignment], _ outcomes: [CommitOutcome]) {
        var deliveries: [(target: any AcknowledgementTarget, list: [Acknowledgement])] = []
        for (consignment, outcome) in zip(group, outcomes) {
            guard let acknowledgement = consignment.receipt.settle(outcome) else { continue }
            let target = consignment.receipt.target
            if let index = deliveries.firstIndex(where: { $0.target === target }) {
                deliveries[index].list.append(acknowledgement)
            } else {
                deliveries.append((target, [acknowledgement]))
            }
        }
        for delivery in deliveries { delivery.target.deliver(delivery.list) }
    }

    /// Commits one group, again and again while that may help and `patience` lasts.
    private func commit(_ entries: [GroupWriter.Entry]) throws(PostgresError) -> [GroupWriter
        .Counts]
    {
        if let givenUp { throw givenUp }
        let giveUpAt = ContinuousClock.now + configuration.patience
        var inDoubt: [GroupWriter.Counts]?
        var partitionsMade = 0
        while true {
            do throws(PostgresError) {
                let counts = try attempt(entries)
                return Self.truth(counts, inDoubt)
            } catch {
                if error.isConnectionClosed {
                    inDoubt = inDoubt ?? writer?.countsInDoubt
                    loseConnection(error)
                }
                switch error.failureClass {
                case .partitionMissing where partitionsMade < 3:
                    partitionsMade += 1
                case .retry where ContinuousClock.now < giveUpAt:
                    pause()
                default:
                    if writer == nil { givenUp = error }
                    if error.failureClass == .stop { tell(error) }
                    throw error
                }
                instruments.groupsRetried.increment()
            }
        }
    }

    private func attempt(_ entries: [GroupWriter.Entry]) throws(PostgresError) -> [GroupWriter
        .Counts]
    {
        let writer = try connectedWriter()
        let start = ContinuousClock.now
        writer.connection.deadline = start + configuration.attemptMax
        let counts = try writer.commit(entries)
        let time = ContinuousClock.now - start
        backoff = configuration.backoffMin

        let bytes = entries.reduce(0) { $0 + $1.parcel.byteCount }
        instruments.commitTime.record(time)
        instruments.groupBatches.record(entries.count)
        instruments.groupReadings.record(entries.reduce(0) { $0 + $1.parcel.rowCount })
        instruments.bytesCommitted.increment(by: bytes)
        let rate = Int(Double(bytes) / max(time / .seconds(1), 1e-6))
        let known = bytesPerSecond.load(ordering: .relaxed)
        bytesPerSecond.store(known == 0 ? rate : (known * 7 + rate) / 8, ordering: .relaxed)
        return counts
    }

    /// After a COMMIT whose answer was lost the group is sent again; when everything is found
    /// stored then, the first attempt did it, and its counts are the truth.
    private static func truth(
        _ counts: [GroupWriter.Counts], _ inDoubt: [GroupWriter.Counts]?
    ) -> [GroupWriter.Counts] {
        guard let inDoubt, counts.allSatisfy({ $0.stored == 0 }) else { return counts }
        return inDoubt
    }

    // MARK: Connection

    /// Reconnects when there is none, and looks whether an idle one still lives.
    func lookAfterConnection() {
        guard !isClosed else { return }
        if let writer {
            if writer.connection.probe() { return }
            loseConnection(PostgresError(.connectionLost, message: "closed while idle"))
        }
        do throws(PostgresError) {
            _ = try connectedWriter()
        } catch {
            tell(error)
        }
    }

    /// What an operator has to mend or wait for: the same once a minute, not for every group.
    private func tell(_ error: PostgresError) {
        let now = ContinuousClock.now
        if let told, told.error == error, now - told.at < .seconds(60) { return }
        told = (error, now)
        let message: Logger.Message = writer == nil ? "no connection" : "the database refuses"
        logger.error(message, metadata: ["error": "\(error)"])
    }

    private func connectedWriter() throws(PostgresError) -> GroupWriter {
        if let writer { return writer }
        let deadline = ContinuousClock.now + configuration.connectMax
        let connection = try Connection.open(settings, deadline: deadline)
        try Self.demandDurability(connection)
        let writer = try GroupWriter(connection)
        self.writer = writer
        givenUp = nil
        instruments.connectionsOpened.increment()
        isUp.store(true, ordering: .relaxed)
        logger.info("connected", metadata: ["backend": "\(connection.backendID)"])
        return writer
    }

    /// A 200 promises that the data is on disk: a server or role that is set to commit without
    /// waiting for that is overruled; a stricter setting stays.
    private static func demandDurability(_ connection: Connection) throws(PostgresError) {
        let rows = try connection.query("SELECT current_setting('synchronous_commit')")
        if rows.string(0, 0) == "off" {
            try connection.execute("SET synchronous_commit = on")
        }
    }

    private func loseConnection(_ error: PostgresError) {
        writer?.connection.close()
        writer = nil
        if isUp.exchange(false, ordering: .relaxed) {
            logger.warning("connection lost", metadata: ["error": "\(error)"])
        }
    }

    private func pause() {
        Thread.pause(for: backoff * Double.random(in: 0.5...1))
        backoff = min(backoff * 2, configuration.backoffMax)
    }

    func close() {
        isClosed = true
        isUp.store(false, ordering: .relaxed)
        writer?.connection.close()
        writer = nil
    }
}
