import AsyncHTTPClient
import Edge
import NIOCore
import NIOHTTP1
import NIOSSL

/// Asks a server for its health, as a container's health check does: over the configured port, and
/// from the same machine.
public struct HealthProbe: Sendable {
    /// What came of it.
    public enum Finding: Sendable, Equatable {
        /// It takes batches.
        case healthy
        /// It answers, and takes none.
        case unavailable(status: Int)
        /// Nobody answered in time.
        case silent
    }

    /// What is asked for.
    public let url: String
    private let limit: Duration

    /// - Parameters:
    ///   - configuration: that of the server; host, port and TLS are looked at.
    ///   - url: instead of what the configuration says; nil: none.
    ///   - limit: for the whole exchange.
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

    /// Asks once. The certificate is not verified: it is for the name that clients use, and nothing
    /// is told to the server or believed but its status.
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
