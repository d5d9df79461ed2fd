import Auth
import Encodings
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// A request to become a WebSocket, from its head to the decision.
///
/// NIO's `NIOTypedWebSocketServerUpgrader` does the handshake itself (version, key, the answer's
/// fields) and adds the frame handlers. The NIO handler that watches a pipeline for upgrades is not
/// used: it would process every request of every connection, and it can't ask anyone before the
/// router's side of the pipeline is there. ``ConnectionHandler`` sees each head anyway.
struct SocketUpgrade {
    let head: HTTPRequestHead
    let application: any SocketApplication
    let route: SocketRoute
    let credentials: Credentials

    /// What a head means on a path for WebSockets.
    enum Judgement {
        /// There is no such path.
        case none
        case upgrade(SocketUpgrade)
        case refused(RequestFailure)
    }

    /// - Parameters:
    ///   - path: of the request.
    ///   - isFirst: this is the first request on the connection.
    static func judge(
        _ head: HTTPRequestHead, _ framing: RequestFraming, _ path: SocketPath,
        _ pattern: RoutePattern, isFirst: Bool
    ) -> Judgement {
        guard var route = path.route(head.uri, pattern) else { return .none }
        guard wantsWebSocket(head) else { return .refused(.upgradeRequired) }
        guard isFirst else { return .refused(.upgradeTooLate) }
        if let fault = fault(of: head, framing) { return .refused(fault) }
        let query = RequestTargetForm.query(of: head.uri).map(String.init)
        if route.user == nil { route.namedUser = RequestQuery(query).value("user_id") }
        let token = PresentedToken.read(
            authorization: value("authorization", of: head),
            apiKey: value("x-api-key", of: head), query: query)
        let credentials = Credentials(
            token: token, origin: head.headers.first(name: "origin"),
            authority: head.headers.first(name: "host"))
        return .upgrade(
            SocketUpgrade(
                head: head, application: path.application, route: route, credentials: credentials))
    }

    /// Repeated fields are joined, as the router does it; nil if there is none.
    private static func value(_ name: String, of head: HTTPRequestHead) -> String? {
        let values = head.headers[name]
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    private static func wantsWebSocket(_ head: HTTPRequestHead) -> Bool {
        head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// The first violation of RFC 6455, section 4.2.1; nil if there is none.
    private static func fault(of head: HTTPRequestHead, _ framing: RequestFraming)
        -> RequestFailure?
    {
        let versions = head.headers[canonicalForm: "sec-websocket-version"]
        guard versions.count == 1, versions[0] == "13" else { return .upgradeRequired }
        let keys = head.headers["sec-websocket-key"]
        // Sixteen bytes in base64.
        guard head.method == .GET, head.version == .http1_1, framing.declaredBytes == 0,
            keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==")
        else { return .upgradeMalformed }
        return nil
    }

    /// Both halves of NIO's upgrade.
    ///
    /// - Parameter open: adds the socket's own handler behind those of the frames.
    func upgrader(
        messageBytesMax: Int, open: @escaping @Sendable (any Channel) throws -> Void
    ) -> NIOTypedWebSocketServerUpgrader<Void> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: messageBytesMax, enableAutomaticErrorHandling: false,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try open(channel) }
            })
    }
}
