import Auth
import HTTPTypes
import Hummingbird
import Instruments
import NIOCore
import NIOHTTP1

/// `GET /metrics`: the metrics for Prometheus.
///
/// Anyone who reaches the port may read them, unless the configuration requires a key with the
/// scope `status`, like the status page. Where no credentials are required, pages of other sites
/// are rejected as on all other routes.
struct MetricsRoute: Sendable {
    let registry: Registry
    /// nil: nobody is rejected.
    let access: AccessPolicy?
    let needsKey: Bool

    var group: RouteGroup {
        RouteGroup(
            [
                .get("/metrics") { request, _ in
                    try await admit(request)
                    return Response(
                        status: .ok,
                        headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                        body: ResponseBody(byteBuffer: ByteBuffer(string: registry.render())))
                }
            ], urgency: .probe)
    }

    private func admit(_ request: Request) async throws(RequestFailure) {
        guard let access else { return }
        if needsKey {
            let caller = try await RouteGuard(access: access, scope: .status).admit(request)
            if case .user = caller { throw .keyNeeded }
            return
        }
        let credentials = Credentials(
            token: nil, origin: request.headers[.origin], authority: request.head.authority)
        guard access.isOpen(to: credentials) else { throw .otherSite }
    }
}
