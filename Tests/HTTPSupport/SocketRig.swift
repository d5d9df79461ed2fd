import Ingest
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing

@testable import HTTP

/// One open socket in front of a fake sink, without a connection, and with a clock that only the
/// test moves: frames in, frames out.
final class SocketRig {
    let connection: ConnectionRig
    let channel: EmbeddedChannel
    private var sent: [UInt8] = []

    /// - Parameter connection: an existing rig to reuse, because making one takes time.
    init(
        _ behaviour: FakeSink.Behaviour = .hold, on connection: ConnectionRig? = nil,
        application: any SocketApplication = TestSockets(), user: String = "anna",
        pass: SocketPass = .endless,
        configure: (inout SocketConfiguration) -> Void = { _ in }
    ) throws {
        let connection =
            try connection
            ?? ConnectionRig(behaviour) { configure(&$0.sockets) }
        self.connection = connection
        let loop = connection.loop
        channel = EmbeddedChannel(loop: connection.eventLoop)
        channel.allowRemoteHalfClosure = true
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(WebSocketFrameEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(
                WebSocketFrameDecoder(maxFrameSize: loop.sockets.configuration.messageBytesMax)))
        try pipeline.addHandler(
            SocketHandler(
                loop: loop, application: application, route: SocketRoute(user: user), user: user,
                pass: pass))
    }

    var sink: FakeSink { connection.sink }
    var isOpen: Bool { channel.isActive }

    func send(_ bytes: [UInt8]) throws {
        guard channel.isActive else { return }
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        connection.run()
    }

    func send(_ frame: SentFrame) throws { try send(frame.bytes) }
    func send(_ text: String) throws { try send(.text(text)) }

    func advance(_ seconds: Double) { connection.advance(seconds) }

    func settle(count: Int = .max) {
        sink.finishHeldUnits(.committed("stored"), count: count)
        connection.run()
    }

    /// All frames sent back since the last call.
    func frames() throws -> [ServerFrame] {
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
            sent += Array(bytes.readableBytesView)
        }
        var frames: [ServerFrame] = []
        while let frame = try ServerFrame.take(from: &sent) { frames.append(frame) }
        return frames
    }

    /// Answers pings, as a client's library does.
    func answer(_ pings: [ServerFrame]) throws {
        for ping in pings { try send(SentFrame(opcode: 10, payload: ping.payload)) }
    }

    /// The code of the last frame, which must be a close frame.
    func closeCode() throws -> Int? { try frames().last?.closeCode }
}
