import AsyncHTTPClient
import Edge
import NIOCore
import NIOHTTP1
import NIOSSL
public import Status

/// Follows the reports of a server, over its HTTP port, through restarts of that server.
public struct StatusWatch: Sendable {
    /// What comes of it.
    public enum Event: Sendable {
        /// The newest report, also as it came.
        case report(StatusReport, json: String)
        /// There is no connection; it is tried again.
        case lost(Loss)
    }

    /// Why there is no report.
    public enum Loss: Error, Equatable, Sendable {
        /// Nobody listens there, or not for long.
        case unreachable
        /// Somebody listens, and there is no TLS connection: its certificate is not trusted here, or
        /// is for another name, or it speaks no TLS.
        case insecure
        /// It answered, and nothing came any more.
        case silent
        /// It ended the stream, as a server does that stops.
        case ended
        /// The key is missing or may not see this.
        case keyRefused
        /// That server has no status.
        case unknown
        /// It can't now.
        case refused(status: Int)
        /// What came is no report that this program knows.
        case otherForm

        /// Trying again is of no use.
        public var isFinal: Bool {
            switch self {
            case .keyRefused, .unknown, .otherForm: true
            // A server that stops may leave in the middle of a handshake.
            case .unreachable, .insecure, .silent, .ended, .refused: false
            }
        }
    }

    /// Environment variable with a key, for those who don't want it in the list of processes.
    public static let keyVariable = "SLUICE_STATUS_KEY"
    /// How long no report may come before the connection is given up.
    static let silenceMax = TimeAmount.seconds(5)
    static let connectMax = TimeAmount.seconds(3)
    /// Between two attempts.
    static let pause = Duration.milliseconds(500)

    /// Of the server, without a path.
    public let url: String
    private let key: String?
    private let verifiesCertificate: Bool

    /// The server on this machine that `configuration` describes, with a key of it.
    ///
    /// Its certificate is not verified: it is for the name that clients use, and what is sent to it
    /// doesn't leave the machine.
    public init(_ configuration: ServiceConfiguration, key: String?) {
        let edge = configuration.fittingEdge
        let scheme = edge.tls == nil ? "http" : "https"
        url = "\(scheme)://\(ReachableHost.name(edge.host)):\(edge.port)"
        let known = configuration.applications.applicationKeys?.revealed()
            .split(separator: ",").first.map(String.init)
        self.key = key ?? known
        verifiesCertificate = false
    }

    /// Any server. A key of the configuration is not sent there.
    ///
    /// - Parameter url: a path at its end is `/status`'s place, as behind a proxy.
    public init(url: String, key: String?) {
        var url = url[...]
        while url.last == "/" { url = url.dropLast() }
        if url.hasSuffix("/status") { url = url.dropLast("/status".count) }
        self.url = url.contains("://") ? String(url) : "http://\(url)"
        self.key = key
        verifiesCertificate = true
    }

    /// Reports until the caller lets go of the stream, or a loss is final.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(16))
        let task = Task {
            await follow { continuation.yield($0) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func follow(_ tell: @Sendable (Event) -> Void) async {
        var configuration = HTTPClient.Configuration(
            certificateVerification: verifiesCertificate ? .fullVerification : .none)
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = Self.connectMax
        configuration.timeout.read = Self.silenceMax
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        while !Task.isCancelled {
            let loss = await connect(client, tell)
            if Task.isCancelled { break }
            tell(.lost(loss))
            if loss.isFinal { break }
            try? await Task.sleep(for: Self.pause)
        }
        try? await client.shutdown()
    }

    /// One connection, until it ends.
    private func connect(_ client: HTTPClient, _ tell: @Sendable (Event) -> Void) async -> Loss {
        var request = HTTPClientRequest(url: url + "/status/events")
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let key { request.headers.add(name: "X-API-Key", value: key) }
        let answer: HTTPClientResponse
        do {
            answer = try await client.execute(request, deadline: .distantFuture)
        } catch {
            if error is NIOSSLError || error is NIOSSLExtraError { return .insecure }
            return Self.isTimeout(error) ? .silent : .unreachable
        }
        switch answer.status {
        case .ok: break
        case .unauthorized, .forbidden: return .keyRefused
        case .notFound, .methodNotAllowed: return .unknown
        default: return .refused(status: Int(answer.status.code))
        }
        guard answer.headers.first(name: "Content-Type")?.hasPrefix("text/event-stream") == true
        else { return .unknown }
        do {
            return try await read(answer.body, tell)
        } catch {
            return Self.isTimeout(error) ? .silent : .ended
        }
    }

    private func read(
        _ body: HTTPClientResponse.Body, _ tell: @Sendable (Event) -> Void
    ) async throws -> Loss {
        var parser = EventStreamParser()
        for try await piece in body {
            for event in try parser.take(piece.readableBytesView) where event.name == "report" {
                guard let report = StatusReport(json: event.data) else { return .otherForm }
                tell(.report(report, json: event.data))
            }
        }
        return .ended
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        guard let error = error as? HTTPClientError else { return false }
        return [.readTimeout, .deadlineExceeded].contains(error)
    }
}
