import Access
import Ingestion
import Instruments
import Logging
import NIOCore
import Readings
import Scanning
import Status

/// The state that all connections of one event loop share: scanners, tickets, the answer writer,
/// the last reading of the clock, and the list of connections that the sweep checks.
///
/// `@unchecked Sendable`: all mutable state is used on `eventLoop` only. Other threads may only
/// call ``deliver(_:)``, which hops there.
final class EdgeLoop: AcknowledgementTarget, @unchecked Sendable {
    let eventLoop: any EventLoop
    private(set) var configuration: EdgeConfiguration
    let sink: any BatchSink
    let keys: any KeyAuthority
    let ledger: ReadingLedger
    let instruments: EdgeInstruments
    let budget: RequestBudget
    let unsent: UnsentBytes
    let places: ConnectionPlaces
    let logger: Logger
    private(set) var machineLimits: RequestStateMachine.Limits
    private(set) var decoderLimits: BodyDecoder.Limits
    private(set) var sendTimeout: TimeAmount
    private let clock: @Sendable () -> Timestamp

    var scanners: ScannerPool
    let scratch = DecompressionScratch()
    var answers: AnswerWriter
    /// Declared bytes of admitted bodies that will soon be offered to the lanes. They are counted
    /// as if they were there, so that a body is rejected before it is sent rather than after. This
    /// is about one lane's share, because there are about as many lanes as loops.
    var expectedBytes = 0
    private var tickets = TicketTable<IngestTicket>()
    let sockets: LoopSockets
    /// The loop's clock when it was last read: at a head, at a commit, at a sweep.
    private(set) var lastNow: NIODeadline
    /// Of all connections; see `EdgeLoop+Places.swift`.
    var seats: [ConnectionSeat] = []
    var evictions = EvictionOrder<ConnectionSeat>()
    /// When ``evictions`` was made.
    var orderedAt: NIODeadline?
    private var connections: [ConnectionHandler] = []
    private var streamed: [ObjectIdentifier: StreamedConnectionHandler] = [:]
    /// Connections to flush at the end of a delivery.
    private var unflushed: [ConnectionHandler] = []
    private var sweep: RepeatedTask?
    private var isDispatchDue = false
    private var isStopping = false
    private var bytesReceived = 0
    private var slowest = SlowestDevices()
    private let slowestBoard: SlowestBoard
    private let number: Int
    private var cpu = ThreadTime()

    /// - Parameters:
    ///   - slowest: gets the slowest devices of this loop, under `number`.
    ///   - unsent: shared by all loops, as `places`; nil if there is only one loop.
    ///   - clock: the wall clock, which decides whether a reading is too old or in the future.
    init(
        eventLoop: any EventLoop, configuration: EdgeConfiguration, limits: ReadingLimits,
        sink: any BatchSink, keys: any KeyAuthority, ledger: ReadingLedger,
        instruments: EdgeInstruments, budget: RequestBudget, unsent: UnsentBytes? = nil,
        places: ConnectionPlaces? = nil,
        applications: [any SocketApplication] = [], holders: SocketHolders = SocketHolders(),
        slowest: SlowestBoard = SlowestBoard(), number: Int = 0, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.eventLoop = eventLoop
        self.slowestBoard = slowest
        self.number = number
        self.configuration = configuration
        self.sink = sink
        self.keys = keys
        self.ledger = ledger
        self.instruments = instruments
        self.budget = budget
        self.unsent = unsent ?? UnsentBytes(bytesMax: configuration.unsentBytesMax)
        self.places =
            places
            ?? ConnectionPlaces(
                connectionsMax: configuration.connectionsMax, surplusMax: configuration.surplusMax)
        self.logger = logger
        self.clock = clock
        machineLimits = RequestStateMachine.Limits(configuration)
        decoderLimits = BodyDecoder.Limits(configuration)
        sendTimeout = TimeAmount(configuration.sendTimeout)
        scanners = ScannerPool(limits: limits)
        answers = AnswerWriter(
            unixSeconds: clock().unixSeconds, durability: sink.durability)
        sockets = LoopSockets(
            configuration: configuration.sockets, instruments: instruments.sockets,
            applications: applications, holders: holders)
        lastNow = eventLoop.now
    }

    /// Replaces the limits for requests that begin from now on. New time-outs of a connection apply
    /// only to connections that begin from now on.
    func reload(_ configuration: EdgeConfiguration, _ limits: ReadingLimits) {
        eventLoop.preconditionInEventLoop()
        self.configuration = configuration
        machineLimits = RequestStateMachine.Limits(configuration)
        decoderLimits = BodyDecoder.Limits(configuration)
        sendTimeout = TimeAmount(configuration.sendTimeout)
        scanners = ScannerPool(limits: limits)
    }

    /// Reads the loop's clock and remembers the time as ``lastNow``.
    func readClock() -> NIODeadline {
        lastNow = eventLoop.now
        return lastNow
    }

    /// The wall clock.
    var wallClock: Timestamp { clock() }

    func countReceived(bytes: Int) {
        bytesReceived += bytes
    }

    // MARK: Connections

    func add(_ connection: ConnectionHandler) {
        connection.placeInLoop = connections.count
        connections.append(connection)
        if isStopping { connection.drain() }
    }

    /// The server is stopping: every connection, present or future, gets at most one more request.
    func drain() {
        eventLoop.preconditionInEventLoop()
        isStopping = true
        for connection in connections { connection.drain() }
        for connection in streamed.values { connection.drain() }
    }

    func add(_ connection: StreamedConnectionHandler) {
        streamed[ObjectIdentifier(connection)] = connection
        if isStopping { connection.drain() }
    }

    func remove(_ connection: StreamedConnectionHandler) {
        streamed[ObjectIdentifier(connection)] = nil
    }

    func remove(_ connection: ConnectionHandler) {
        let place = connection.placeInLoop
        precondition(connections[place] === connection, "BUG: connection \(place) is not there")
        let last = connections.removeLast()
        if last !== connection {
            connections[place] = last
            last.placeInLoop = place
        }
    }

    /// Starts the checks for time-outs. Call once, on the loop.
    func startSweeping() {
        let interval = TimeAmount(configuration.sweepInterval)
        sweep = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            self.sweepConnections()
        }
    }

    func stopSweeping() {
        sweep?.cancel()
        sweep = nil
    }

    private func sweepConnections() {
        let now = readClock()
        answers.setDate(unixSeconds: clock().unixSeconds)
        instruments.bytesReceived.increment(by: bytesReceived)
        bytesReceived = 0
        budget.measure(now: now)
        // From the end: a connection that closes is replaced by one that has been checked already.
        for place in connections.indices.reversed() where place < connections.count {
            connections[place].tick(now: now)
        }
        for connection in streamed.values { connection.tick(now: now) }
        sweepSurplus(now)
        sockets.sweep(now: now)
        instruments.loopNanoseconds.increment(by: cpu.advance())
        if slowest.turn(unixSeconds: answers.unixSeconds) {
            slowestBoard.put(slowest.entries, of: number)
        }
    }

    // MARK: Batches

    /// Offers a batch to its lane.
    ///
    /// - Returns: the ticket of the batch's outcome, or why the batch was not taken.
    func offer(
        _ batch: consuming ScannedBatch, account: KeyAccount, for handler: ConnectionHandler,
        reservedBytes: Int, startedAt: NIODeadline
    ) -> Result<UInt64, Failure> {
        let received = batch.received
        let quarantined = batch.quarantined > 0 ? batch.parcels[0].quarantined : []
        ledger.enter { $0.received += received }
        let ticket = tickets.insert(
            IngestTicket(
                handler: handler, account: account, deviceID: batch.parcels[0].deviceID,
                received: received,
                quarantined: batch.quarantined,
                problems: batch.problems,
                reservedBytes: reservedBytes, startedAt: startedAt))
        let failure: Failure
        switch sink.offer(batch, key: account.id, ticket: ticket, replyTo: self) {
        case .taken:
            for reading in quarantined { instruments.quarantined[reading.reason].increment() }
            dispatchSoon()
            return .success(ticket)
        case .full(let time): failure = .overloaded(retryAfter: time)
        case .shareUsedUp(let time): failure = .shareUsedUp(retryAfter: time)
        case .unavailable(let time): failure = .unavailable(retryAfter: time)
        }
        budget.release(tickets.remove(ticket).reservedBytes, for: account)
        ledger.enter { $0.refused += received }
        return .failure(failure)
    }

    /// Offers a socket's unit to its lane.
    func offer(_ unit: WorkUnit, ticket: UInt64) -> Offer {
        let offer = sink.offer(unit, ticket: ticket, replyTo: self)
        if offer == .taken { dispatchSoon() }
        return offer
    }

    /// Starts the lanes after this pass over the sockets, so that batches that arrived together are
    /// committed together.
    private func dispatchSoon() {
        guard !isDispatchDue else { return }
        isDispatchDue = true
        eventLoop.execute {
            self.isDispatchDue = false
            self.sink.dispatch()
        }
    }

    /// The client is gone or has timed out; the ticket stays, so that the outcome is still counted.
    func forget(_ ticket: UInt64) {
        tickets.update(ticket) { $0.handler = nil }
    }

    /// Takes the outcomes of a commit, from any thread, in one hop.
    func deliver(_ acknowledgements: [Acknowledgement]) {
        eventLoop.execute { self.settle(acknowledgements) }
    }

    private func settle(_ acknowledgements: [Acknowledgement]) {
        let now = readClock()
        var settled = ReadingBook()
        for acknowledgement in acknowledgements {
            if LoopSockets.isTicket(acknowledgement.ticket) {
                sockets.settle(acknowledgement.ticket, acknowledgement.outcome)
                continue
            }
            let entry = tickets.remove(acknowledgement.ticket)
            budget.release(entry.reservedBytes, for: entry.account)
            switch acknowledgement.outcome {
            case .committed(let stored, let duplicates, let quarantined, _):
                precondition(
                    stored + duplicates + quarantined == entry.received,
                    "BUG: \(entry.received) readings became \(stored)+\(duplicates)+\(quarantined)")
                settled.stored += stored
                settled.duplicates += duplicates
                settled.quarantined += quarantined
            case .spooled:
                settled.spooled += entry.received
            case .recorded:
                preconditionFailure("BUG: a batch was answered as a unit")
            case .unavailable, .refused:
                settled.refused += entry.received
            }
            noteLatency(of: entry, acknowledgement.outcome, now: now)
            guard let handler = entry.handler else { continue }
            handler.acknowledged(acknowledgement.outcome, of: entry, now: now)
            unflushed.append(handler)
        }
        ledger.enter {
            $0.stored += settled.stored
            $0.duplicates += settled.duplicates
            $0.quarantined += settled.quarantined
            $0.spooled += settled.spooled
            $0.refused += settled.refused
        }
        for handler in unflushed { handler.flushIfNeeded() }
        unflushed.removeAll(keepingCapacity: true)
        sockets.flush()
    }

    /// Records the latency of a batch that is committed or spooled, even if its client is gone.
    private func noteLatency(
        of entry: IngestTicket, _ outcome: CommitOutcome, now: NIODeadline
    ) {
        switch outcome {
        case .committed, .spooled:
            slowest.note(
                entry.deviceID, nanoseconds: (now - entry.startedAt).nanoseconds,
                unixSeconds: answers.unixSeconds)
        case .recorded, .unavailable, .refused: break
        }
    }

    // MARK: Failures

    /// The response to a failure. `Retry-After` is rounded up after adding a random part of up to
    /// half, so that clients that were rejected together do not return together.
    func answer(
        _ failure: Failure, _ connection: ConnectionHeader, isHead: Bool = false,
        envelope: ErrorEnvelope = .detail
    ) -> Answer {
        let seconds = failure.retryAfter.map { time in
            let (whole, fraction) = time.components
            let exact = Double(whole) + Double(fraction) / 1e18
            return max(1, Int((exact * Double.random(in: 1..<1.5)).rounded(.up)))
        }
        return answers.answer(
            failure.status, connection, isHead: isHead,
            fields: failure.fields(retryAfterSeconds: seconds)
        ) { body in failure.write(to: &body, in: envelope) }
    }
}
