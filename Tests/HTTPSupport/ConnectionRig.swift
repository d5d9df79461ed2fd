import Auth
import Logging
import NIOCore
import NIOEmbedded
import Readings
import Status
import Testing

@testable import HTTP
@testable import Instruments

/// One connection in front of a fake sink, without a socket, and with a clock that only the test
/// moves: bytes in, bytes out.
final class ConnectionRig {
    let eventLoop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let loop: ConnectionLoop
    let sink: FakeSink
    let ledger = ReadingLedger()
    let registry = Registry()
    let budget: RequestBudget
    let slowest = SlowestBoard()
    let refusals = RefusalBoard()

    /// Five seconds after the seed's newest reading.
    static let now = Timestamp(unixSeconds: 1_770_735_432)

    init(
        _ behaviour: FakeSink.Behaviour = .hold, keys: any KeyAuthority = FakeKeys(),
        tokens: AccessPolicy? = nil, routes: [RouteGroup] = [],
        configure: (inout HTTPConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HTTPConfiguration()
        configure(&configuration)
        sink = FakeSink(behaviour)
        budget = RequestBudget(bytesMax: configuration.inFlightBytesMax, now: eventLoop.now)
        loop = ConnectionLoop(
            eventLoop: eventLoop, configuration: configuration, limits: ReadingLimits(),
            sink: sink, keys: keys, tokens: tokens, ledger: ledger,
            instruments: HTTPInstruments(
                registry: registry,
                routes: RouteTable(
                    RouteGroup.core(
                        sink: sink, registry: registry, status: nil, metricsNeedKey: false) + routes
                )),
            budget: budget,
            slowest: slowest, refusals: refusals,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            clock: { Self.now })
        channel = EmbeddedChannel(loop: eventLoop)
        channel.allowRemoteHalfClosure = true
        let seat = try #require(loop.seat(for: nil))
        try HTTPChildChannel.addConnectionHandlers(
            to: channel.pipeline.syncOperations, loop: loop, seat: seat)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        loop.startSweeping()
    }

    var wire: WireHandler {
        get throws { try channel.pipeline.syncOperations.handler(type: WireHandler.self) }
    }

    /// Sends bytes as one read.
    func send(_ bytes: some Sequence<UInt8>) throws {
        guard channel.isActive else { return }
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        eventLoop.run()
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// The client closes its sending side.
    func closeInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        eventLoop.run()
    }

    /// The client closes the connection.
    func disconnect() {
        channel.close(promise: nil)
        eventLoop.run()
    }

    func advance(_ seconds: Double) {
        eventLoop.advanceTime(by: .milliseconds(Int64(seconds * 1000)))
    }

    var isOpen: Bool { channel.isActive }

    var book: ReadingBook { ledger.snapshot }

    func run() {
        eventLoop.run()
    }

    func commitHeld() {
        sink.commitHeld()
        eventLoop.run()
    }

    /// The bytes sent back since the last call.
    func output() throws -> String {
        var text = ""
        while let data = try channel.readOutbound(as: IOData.self) {
            guard case .byteBuffer(let buffer) = data else { continue }
            text += String(buffer: buffer)
        }
        return text
    }

    /// The answers in that output.
    func answers() throws -> [ParsedAnswer] {
        try ParsedAnswer.all(in: output())
    }

    /// The single answer.
    func answer() throws -> ParsedAnswer {
        let answers = try answers()
        try #require(answers.count == 1, "\(answers)")
        return answers[0]
    }

    /// Checks that nothing is held for any client and that the accounts balance.
    func expectNothingHeld(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(book.pending == 0, "\(book)", sourceLocation: sourceLocation)
        #expect(budget.inFlightBytes == 0, sourceLocation: sourceLocation)
    }
}
