import Auth
import HTTPTypes
import Ingest
import Instruments
import Logging
import NIOCore
import NIOPosix
import Readings
import Scanner
import Status

/// The state that all connections of one event loop share: scanners, tickets, the answer writer,
/// the last reading of the clock, and the list of connections that the sweep checks.
///
/// `@unchecked Sendable`: all mutable state is used on `eventLoop` only. Other threads may only
/// call ``deliver(_:)``, which hops there.
final class ConnectionLoop: AcknowledgementTarget, @unchecked Sendable {
    let eventLoop: any EventLoop
    private(set) var configuration: HTTPConfiguration
    let sink: any BatchSink
    let keys: any KeyAuthority
    /// Knows users' tokens, with which they may send their own readings; nil: none are taken.
    let tokens: AccessPolicy?
    let ledger: ReadingLedger
    let instruments: HTTPInstruments
    let budget: RequestBudget
    let unsent: UnsentBytes
    let places: ConnectionPlaces
    /// Translate large bodies of formats; nil: the event loop does.
    let workers: NIOThreadPool?
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
    /// Of all connections; see `ConnectionLoop+Places.swift`.
    var seats: [ConnectionSeat] = []
    var evictions: [ConnectionPlaces.Kind: Evictions] = [:]
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
    private let refusals: RefusalBoard
    private let number: Int
    private var cpu = ThreadTime()

    /// - Parameters:
    ///   - slowest: gets the slowest devices of this loop, under `number`.
    ///   - refusals: shared by all loops.
    ///   - unsent: shared by all loops, as `places`; nil if there is only one loop.
    ///   - workers: translate large bodies of formats; nil: the event loop does.
    ///   - clock: the wall clock, which decides whether a reading is too old or in the future.
    init(
        eventLoop: any EventLoop, configuration: HTTPConfiguration, limits: ReadingLimits,
        sink: any BatchSink, keys: any KeyAuthority, tokens: AccessPolicy? = nil,
        ledger: ReadingLedger, instruments: HTTPInstruments, budget: RequestBudget,
        unsent: UnsentBytes? = nil,
        places: ConnectionPlaces? = nil,
        holders: SocketHolders = SocketHolders(),
        slowest: SlowestBoard = SlowestBoard(), refusals: RefusalBoard = RefusalBoard(),
        number: Int = 0, workers: NIOThreadPool? = nil, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.eventLoop = eventLoop
        self.slowestBoard = slowest
        self.refusals = refusals
        self.number = number
        self.workers = workers
        self.configuration = configuration
        self.sink = sink
        self.keys = keys
        self.tokens = tokens
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
            eventLoop: eventLoop, configuration: configuration.sockets,
            instruments: instruments.sockets, holders: holders)
        lastNow = eventLoop.now
    }

    /// Replaces the limits for requests that begin from now on. New time-outs of a connection apply
    /// only to connections that begin from now on.
    func reload(_ configuration: HTTPConfiguration, _ limits: ReadingLimits) {
        eventLoop.preconditionInEventLoop()
        self.configuration = configuration
        machineLimits = RequestStateMachine.Limits(configuration)
        decoderLimits = BodyDecoder.Limits(configuration)
        sendTimeout = TimeAmount(configuration.sendTimeout)
        scanners = ScannerPool(limits: limits)
    }

    /// Reads the loop's clock and remembers the time as ``lastNow``.
    @discardableResult
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
        _ batch: consuming ScannedBatch, of request: IngestRequest, for handler: ConnectionHandler
    ) -> Result<UInt64, RequestFailure> {
        let received = batch.received
        let quarantined =
            batch.quarantined > 0 ? batch.deviceBatches.flatMap { $0.quarantined } : []
        let ignored = batch.ignored.count
        ledger.enter { $0.received += received }
        let ticket = tickets.insert(
            IngestTicket(
                handler: handler, format: request.format, head: request.head,
                account: request.account, deviceID: batch.deviceBatches[0].deviceID,
                received: received,
                quarantined: batch.quarantined,
                problems: batch.problems, ignored: batch.ignored,
                reservedBytes: request.reservedBytes, startedAt: request.startedAt))
        let failure: RequestFailure
        switch sink.offer(batch, key: request.account.id, ticket: ticket, replyTo: self) {
        case .taken:
            for reading in quarantined { instruments.quarantined[reading.reason].increment() }
            if ignored > 0 { instruments.ignoredFields.increment(by: ignored) }
            dispatchSoon()
            return .success(ticket)
        case .full(let time): failure = .overloaded(retryAfter: time)
        case .shareUsedUp(let time): failure = .deviceShareUsedUp(retryAfter: time)
        case .unavailable(let time): failure = .databaseUnavailable(retryAfter: time)
        }
        let entry = tickets.remove(ticket)
        budget.release(entry.reservedBytes, for: request.account)
        note(failure, of: request.account.id, entry.deviceID, on: handler.entry.label)
        ledger.enter { $0.refused += received }
        return .failure(failure)
    }

    /// Offers a socket's unit to its lane.
    func offer(_ unit: WorkUnit, ticket: UInt64) -> Offer {
        let offer = sink.offer(unit, ticket: ticket, replyTo: sockets)
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
    func deliver(_ acknowledgements: [BatchOutcome.Acknowledgement]) {
        eventLoop.execute { self.settle(acknowledgements) }
    }

    private func settle(_ acknowledgements: [BatchOutcome.Acknowledgement]) {
        let now = readClock()
        var settled = ReadingBook()
        for acknowledgement in acknowledgements {
            let entry = tickets.remove(acknowledgement.ticket)
            budget.release(entry.reservedBytes, for: entry.account)
            switch acknowledgement.outcome {
            case .committed(let counts):
                precondition(
                    counts.count == entry.received,
                    "BUG: \(entry.received) readings became \(counts)")
                settled.stored += counts.stored
                settled.duplicates += counts.duplicates
                settled.quarantined += counts.quarantined
            case .spooled:
                settled.spooled += entry.received
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
    }

    /// Notes why readings were refused, unless it is for want of room or of a database.
    ///
    /// - Parameters:
    ///   - key: nil: it is unknown.
    ///   - device: nil or empty: it is unknown.
    func note(_ failure: RequestFailure, of key: KeyID?, _ device: String?, on route: String) {
        guard failure.status != .serviceUnavailable else { return }
        refusals.note(
            failure,
            of: .init(
                key: key?.name, device: device?.isEmpty == true ? nil : device, route: route),
            unixSeconds: answers.unixSeconds)
    }

    /// Records the latency of a batch that is committed or spooled, even if its client is gone.
    private func noteLatency(
        of entry: IngestTicket, _ outcome: BatchOutcome, now: NIODeadline
    ) {
        switch outcome {
        case .committed, .spooled:
            slowest.note(
                entry.deviceID, nanoseconds: (now - entry.startedAt).nanoseconds,
                unixSeconds: answers.unixSeconds)
        case .unavailable, .refused: break
        }
    }
}
