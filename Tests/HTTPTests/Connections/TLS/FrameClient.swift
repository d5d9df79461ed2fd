import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

@testable import HTTP
@testable import HTTPSupport

/// An HTTP/2 client with hand-written frames over TLS (RFC 9113). It does what no library would: it
/// acknowledges nothing and keeps no limit.
///
/// It writes header fields as literals without Huffman coding, and reads only the status of an
/// answer.
final class FrameClient: Sendable {
    struct Frame: Equatable, Sendable {
        enum Kind: UInt8 {
            case data, headers, priority, reset, settings, pushPromise, ping, goAway, window
            case continuation
        }

        var kind: UInt8
        var flags: UInt8 = 0
        var stream: Int = 0
        var payload: [UInt8] = []

        init(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) {
            self.init(kind: kind.rawValue, flags: flags, stream: stream, payload)
        }

        init(kind: UInt8, flags: UInt8, stream: Int, _ payload: [UInt8]) {
            (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
        }

        var bytes: [UInt8] {
            let count = payload.count
            return [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags]
                + FrameClient.number(stream) + payload
        }

        func `is`(_ kind: Kind) -> Bool { self.kind == kind.rawValue }

        /// The error code of a GOAWAY or a reset.
        var errorCode: Int { FrameClient.number(payload.dropFirst(`is`(.goAway) ? 4 : 0)) }

        /// The status of an answer's head if it is in the static table, otherwise 0.
        var status: Int {
            let known = [0x88: 200, 0x89: 204, 0x8C: 400, 0x8D: 404, 0x8E: 500]
            return payload.first.flatMap { known[Int($0)] } ?? 0
        }
    }

    static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
    }

    static func number(_ bytes: some Sequence<UInt8>) -> Int {
        bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    private struct State {
        var pending: [UInt8] = []
        var frames: [Frame] = []
        var isClosed = false
    }

    /// Splits the input into frames as it arrives.
    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let state = Mutex(State())

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            state.withLock { state in
                state.pending += bytes
                while state.pending.count >= 9 {
                    let head = state.pending.prefix(9)
                    let count = FrameClient.number([0] + head.prefix(3))
                    guard state.pending.count >= 9 + count else { break }
                    state.frames.append(
                        Frame(
                            kind: head[3], flags: head[4],
                            stream: FrameClient.number(head.dropFirst(5)),
                            Array(state.pending[9..<(9 + count)])))
                    state.pending.removeFirst(9 + count)
                }
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            state.withLock { $0.isClosed = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    let channel: any Channel
    private let collector: Collector

    /// Connects, and sends the preface and settings.
    ///
    /// - Parameter windowBytes: each stream's window for answers.
    init(port: Int, windowBytes: Int = 65_535) async throws {
        var configuration = NIOSSL.TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let collector = Collector()
        self.collector = collector
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    try channel.pipeline.syncOperations.addHandler(collector)
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        // SETTINGS_INITIAL_WINDOW_SIZE
        try await send(Frame(.settings, [0, 4] + Self.number(windowBytes)))
    }

    func send(_ frames: Frame...) async throws {
        try await send(frames.flatMap(\.bytes))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// A request without a body, or the head of one with a body.
    static func request(
        _ path: String, stream: Int, method: String = "GET", endsStream: Bool = true,
        _ fields: [(String, String)] = []
    ) -> Frame {
        let pseudo = [
            (":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost"),
        ]
        return Frame(
            .headers, flags: endsStream ? 5 : 4, stream: stream, block(pseudo + fields))
    }

    /// Fields as literals that are not indexed (RFC 7541, section 6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }

    /// All frames received so far.
    var frames: [Frame] { collector.state.withLock { $0.frames } }

    func frames(_ kind: Frame.Kind, stream: Int? = nil) -> [Frame] {
        frames.filter { $0.is(kind) && (stream == nil || $0.stream == stream) }
    }

    /// Whether the server has closed the connection.
    var isClosed: Bool { collector.state.withLock { $0.isClosed } }

    /// Closes the sending side.
    func closeSending() async {
        try? await channel.close(mode: .output).get()
    }

    func close() {
        channel.close(promise: nil)
    }
}
