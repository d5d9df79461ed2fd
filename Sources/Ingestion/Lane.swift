import Channels
@preconcurrency import Dispatch
import Instruments
import Logging
import Postgres
import Scanning
import Synchronization

/// One writer: a bounded channel, a serial queue, a connection.
///
/// All of the work, also waiting and sleeping, is done on the queue's own thread; other threads
/// only offer, ask, and close.
final class Lane: Sendable {
    let number: Int
    private let configuration: IngestionConfiguration
    private let channel: BoundedChannel<Consignment>
    private let queue: DispatchQueue
    /// Only touched on `queue`.
    private let worker: LaneWorker
    private let signal: LaneSignal
    private let hasNews = Atomic(false)
    private let timer: any DispatchSourceTimer

    init(
        number: Int, configuration: IngestionConfiguration, settings: ConnectionSettings,
        instruments: LaneInstruments, logger: Logger
    ) {
        self.number = number
        self.configuration = configuration
        let channel = BoundedChannel<Consignment>(bytesMax: configuration.laneBytesMax)
        let queue = DispatchQueue(label: "sluice.lane.\(number)")
        let worker = LaneWorker(
            number: number, channel: channel, configuration: configuration, settings: settings,
            instruments: instruments, logger: logger)
        self.channel = channel
        self.queue = queue
        self.worker = worker
        signal = LaneSignal(queue: queue) { worker.drain() }
        // An idle lane notices by itself that its server went away or came back.
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: DispatchWorkItem { worker.lookAfterConnection() })
        timer.schedule(deadline: .now(), repeating: .seconds(1), leeway: .milliseconds(200))
        timer.activate()
    }

    var isUp: Bool { worker.isUp.load(ordering: .relaxed) }

    /// Elements and bytes that wait.
    var depth: (elements: Int, bytes: Int) { channel.depth }

    /// Tries to connect.
    ///
    /// - Returns: whether it has a connection now.
    func connect() async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async {
                self.worker.lookAfterConnection()
                continuation.resume(returning: self.isUp)
            }
        }
    }

    func hasRoom(for bytes: Int) -> Bool {
        channel.hasRoom(for: bytes)
    }

    func offer(_ consignment: Consignment, bytes: Int) -> BoundedChannel<Consignment>.Offer {
        let offer = channel.offer(consignment, bytes: bytes)
        if offer == .taken { hasNews.store(true, ordering: .releasing) }
        return offer
    }

    /// Wakes the writer if anything was offered since the last time.
    func dispatch() {
        if hasNews.exchange(false, ordering: .acquiring) { signal.raise() }
    }

    /// How long it takes to work off what waits, at the rate of late; between one second and half a
    /// minute.
    var retryAfter: Duration {
        let rate = max(worker.bytesPerSecond.load(ordering: .relaxed), 1)
        let seconds = Double(channel.depth.bytes) / Double(rate)
        return .seconds(min(max(seconds, 1), 30))
    }

    /// Takes no more, works off what waits and closes the connection.
    func finish() async {
        channel.close()
        await withCheckedContinuation { continuation in
            queue.async {
                self.worker.drain()
                self.worker.close()
                self.timer.cancel()
                continuation.resume()
            }
        }
    }
}
