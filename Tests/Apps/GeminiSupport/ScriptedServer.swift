import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server on loopback that answers each request by a script and records the requests.
package final class ScriptedServer: Sendable {
    /// How a request is answered.
    package enum Answer: Sendable, CustomStringConvertible {
        case send(status: HTTPResponseStatus, headers: [(String, String)], body: [UInt8])
        /// A head and half of the announced body, then silence.
        case stall
        /// No answer at all.
        case hang
        /// Closes the connection in the middle of the body.
        case cut
        /// An endless body, until the client disconnects.
        case flood

        package var description: String {
            switch self {
            case .send(let status, _, let body): "\(status), \(body.count) bytes"
            case .stall: "stall"
            case .hang: "hang"
            case .cut: "cut"
            case .flood: "flood"
            }
        }

        package static func json(_ text: String, status: HTTPResponseStatus = .ok) -> Answer {
            .send(
                status: status, headers: [("content-type", "application/json")],
                body: Array(text.utf8))
        }
    }

    /// A received request.
    package struct Request: Sendable {
        package var method: HTTPMethod
        package var uri: String
        package var headers: HTTPHeaders
        package var body: [UInt8]
    }

    private let channel: any Channel
    private let script: Script

    /// - Parameter answers: in order; the last one is repeated.
    package init(_ answers: [Answer]) async throws {
        let script = Script(answers)
        self.script = script
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    package var port: Int { channel.localAddress?.port ?? 0 }
    package var baseURL: String { "http://127.0.0.1:\(port)" }
    package var requests: [Request] { script.requests }

    package func close() async throws { try await channel.close() }
}

/// The remaining answers, and the requests received.
private final class Script: Sendable {
    private let state: Mutex<(answers: [ScriptedServer.Answer], requests: [ScriptedServer.Request])>

    init(_ answers: [ScriptedServer.Answer]) { state = Mutex((answers, [])) }

    var requests: [ScriptedServer.Request] { state.withLock { $0.requests } }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }
}

private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let script: Script
    private var request: ScriptedServer.Request?

    init(_ script: Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = ScriptedServer.Request(
                method: head.method, uri: head.uri, headers: head.headers, body: [])
        case .body(let part): request?.body += Array(part.readableBytesView)
        case .end:
            guard let request else { return }
            self.request = nil
            answer(script.answer(request), context)
        }
    }

    private func answer(_ answer: ScriptedServer.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .send(let status, let headers, let body):
            head(status, headers + [("content-length", "\(body.count)")], context)
            write(body, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .stall:
            head(.ok, [("content-length", "100000")], context)
            write(Array("{".utf8), context)
            context.flush()
        case .hang: break
        case .cut:
            head(.ok, [("content-length", "100000")], context)
            write(Array("{".utf8), context)
            context.flush()
            context.close(promise: nil)
        case .flood:
            head(.ok, [("transfer-encoding", "chunked")], context)
            flood(context)
        }
    }

    private func flood(_ context: ChannelHandlerContext) {
        write([UInt8](repeating: 32, count: 1 << 16), context)
        context.flush()
        guard context.channel.isActive else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(1)) {
            let (handler, context) = bound.value
            handler.flood(context)
        }
    }

    private func head(
        _ status: HTTPResponseStatus, _ headers: [(String, String)],
        _ context: ChannelHandlerContext
    ) {
        let head = HTTPResponseHead(
            version: .http1_1, status: status, headers: HTTPHeaders(headers))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
}
