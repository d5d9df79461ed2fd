import AsyncHTTPClient
import HTTP
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks a server on this machine for its health over the configured port, as a container's health
/// check does.
public struct HealthProbe: Sendable {
    /// The result.
    public enum Finding: Sendable, Equatable {
        /// The server accepts batches.
        case healthy
        /// The server answered with another status than 200.
        case unavailable(status: Int)
        /// There was no answer in time.
        case silent
    }

    /// The URL of the request.
    public let url: String
    private let limit: Duration

    /// - Parameters:
    ///   - configuration: the server's; its host, port and TLS settings are used.
    ///   - url: replaces the URL made from the configuration; nil keeps that one.
    ///   - limit: the timeout of the whole exchange.
    public init(_ configuration: ServiceConfiguration, url: String?, within limit: Duration) {
        self.limit = limit
        if let url {
            self.url = url
            return
        }
        let edge = configuration.fittingEdge
        let scheme = edge.tls == nil ? "http" : "https"
        self.url = "\(scheme)://\(ReachableHost.name(edge.host)):\(edge.port)/health"
    }

    /// Sends one request. The certificate is not verified: it names the host that clients use, and
    /// no secret is sent.
    public func ask() async -> Finding {
        var configuration = HTTPClient.Configuration(certificateVerification: .none)
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: configuration)
        let finding: Finding
        do {
            let answer = try await client.execute(
                HTTPClientRequest(url: url), timeout: TimeAmount(limit))
            finding =
                answer.status == .ok
                ? .healthy : .unavailable(status: Int(answer.status.code))
        } catch {
            finding = .silent
        }
        try? await client.shutdown()
        return finding
    }
}
