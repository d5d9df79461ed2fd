import AsyncHTTPClient
import HTTP
import NIOCore
import NIOHTTP1
import NIOSSL
public import Status

/// Follows the status reports of a server over its HTTP port. Reconnects after losses.
public struct StatusWatch: Sendable {
    /// A report, or the loss of the connection.
    public enum Event: Sendable {
        /// The newest report, parsed and as received.
        case report(StatusReport, json: String)
        /// There is no connection; it is retried unless the loss is final.
        case lost(Loss)
    }

    /// Why there is no report.
    public enum Loss: Error, Equatable, Sendable {
        /// Nothing listens there, or the connection closed before an answer.
        case unreachable
        /// No TLS connection: the certificate is not trusted or has another name, or the listener
        /// does not speak TLS.
        case insecure
        /// The connection stands, but nothing arrived in time.
        case silent
        /// The server ended the stream, as it does when it stops.
        case ended
        /// The key is missing or may not read the status.
        case keyRefused
        /// The server has no status page.
        case unknown
        /// The server answered with another error.
        case refused(status: Int)
        /// The data is not a report that this program can read.
        case otherForm

        /// Whether trying again is useless.
        public var isFinal: Bool {
            switch self {
            case .keyRefused, .unknown, .otherForm: true
            // A server that stops may close the connection during a handshake.
            case .unreachable, .insecure, .silent, .ended, .refused: false
            }
        }
    }

    /// Environment variable that holds a key, to keep it out of the list of processes.
    public static let keyVariable = "SLUICE_STATUS_KEY"
    /// The connection is dropped when no data arrives for this long.
    static let silenceMax = TimeAmount.seconds(5)
    static let connectMax = TimeAmount.seconds(3)
    /// The pause between two attempts.
    static let pause = Duration.milliseconds(500)

    /// The server's URL, without a path.
    public let url: String
    private let key: String?
    private let verifiesCertificate: Bool

    /// The server on this machine that `configuration` describes.
    ///
    /// Without `key`, sends the first configured application key. Does not verify the certificate,
    /// which names the host that clients use: the traffic stays on this machine.
    public init(_ configuration: ServiceConfiguration, key: String?) {
        let edge = configuration.fittingEdge
        let scheme = edge.tls == nil ? "http" : "https"
        url = "\(scheme)://\(ReachableHost.name(edge.host)):\(edge.port)"
        let known = configuration.callers.applicationKeys?.revealed()
            .split(separator: ",").first.map(String.init)
        self.key = key ?? known
        verifiesCertificate = false
    }

    /// Any server. No key of the configuration is sent to it.
    ///
    /// - Parameter url: may end in a path below which `/status` is found, as behind a proxy.
    public init(url: String, key: String?) {
        var url = url[...]
        while url.last == "/" { url = url.dropLast() }
        if url.hasSuffix("/status") { url = url.dropLast("/status".count) }
        self.url = url.contains("://") ? String(url) : "http://\(url)"
        self.key = key
        verifiesCertificate = true
    }

    /// Yields events until the stream's consumer stops, or a loss is final.
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

    private func follow(_ send: @Sendable (Event) -> Void) async {
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
            let loss = await connect(client, send)
            if Task.isCancelled { break }
            send(.lost(loss))
            if loss.isFinal { break }
            try? await Task.sleep(for: Self.pause)
        }
        try? await client.shutdown()
    }

    /// Follows one connection until it ends.
    private func connect(_ client: HTTPClient, _ send: @Sendable (Event) -> Void) async -> Loss {
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
            return try await read(answer.body, send)
        } catch {
            return Self.isTimeout(error) ? .silent : .ended
        }
    }

    private func read(
        _ body: HTTPClientResponse.Body, _ send: @Sendable (Event) -> Void
    ) async throws -> Loss {
        var parser = EventStreamParser()
        for try await piece in body {
            for event in try parser.take(piece.readableBytesView) where event.name == "report" {
                guard let report = StatusReport(json: event.data) else { return .otherForm }
                send(.report(report, json: event.data))
            }
        }
        return .ended
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        guard let error = error as? HTTPClientError else { return false }
        return [.readTimeout, .deadlineExceeded].contains(error)
    }
}
