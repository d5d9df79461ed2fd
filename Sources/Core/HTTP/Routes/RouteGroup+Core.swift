import Ingest
import Instruments

extension RouteGroup {
    /// The routes of the server itself, beside `/ingest`.
    ///
    /// - Parameters:
    ///   - document: the OpenAPI document; nil means that none is served.
    ///   - status: nil means that the status page is not served, and that everybody may read the
    ///     metrics.
    ///   - refusals: of senders, for the status page.
    static func core(
        sink: any BatchSink, registry: Registry, document: [UInt8]? = nil,
        status: StatusServices?, refusals: RefusalBoard = RefusalBoard(), metricsNeedKey: Bool
    ) -> [RouteGroup] {
        [
            HealthRoutes(sink: sink).group,
            MetricsRoute(registry: registry, access: status?.access, needsKey: metricsNeedKey)
                .group,
        ] + (document.map { [DocumentRoutes(document: $0).group] } ?? [])
            + (status.map { [StatusRoutes($0, refusals: refusals).group] } ?? [])
    }
}
