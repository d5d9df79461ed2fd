import Access
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

    /// What a head means to the applications.
    enum Judgement {
        /// Not a request to an application.
        case none
        case upgrade(SocketUpgrade)
        case refused(Failure)
    }

    /// - Parameter isFirst: this is the first request on the connection.
    static func judge(
        _ head: HTTPRequestHead, _ framing: RequestFraming, isFirst: Bool,
        applications: [any SocketApplication]
    ) -> Judgement {
        guard !applications.isEmpty else { return .none }
        let target = RequestTarget(head.uri)
        for application in applications {
            guard var route = application.match(path: target.path) else { continue }
            guard wantsWebSocket(head) else { return .refused(.upgradeRequired) }
            guard isFirst else { return .refused(.upgradeTooLate) }
            if let fault = fault(of: head, framing) { return .refused(fault) }
            if route.user == nil { route.namedUser = RequestQuery(target.query).value("user_id") }
            let token = PresentedToken.read(
                authorization: value("authorization", of: head),
                apiKey: value("x-api-key", of: head), query: target.query)
            let credentials = Credentials(
                token: token, origin: head.headers.first(name: "origin"),
                authority: head.headers.first(name: "host"))
            return .upgrade(
                SocketUpgrade(
                    head: head, application: application, route: route, credentials: credentials))
        }
        return .none
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
    private static func fault(of head: HTTPRequestHead, _ framing: RequestFraming) -> Failure? {
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

/// Path and query of a request target (RFC 9112, section 3.2).
struct RequestTarget: Equatable {
    /// The segments between the slashes, percent-decoded. Empty ones at the ends are left out.
    let path: [String]
    let query: String?

    /// - Parameter target: in origin or absolute form. If it can't be decoded, there are no
    ///   segments.
    init(_ target: String) {
        var rest = target[...]
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        rest = rest.prefix { $0 != "#" }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.first == "" { parts.removeFirst() }
        if parts.last == "" { parts.removeLast() }
        let decoded = parts.map { PercentEncoding.decodedText($0) }
        path = decoded.contains(nil) ? [] : decoded.compactMap { $0 }
    }
}
