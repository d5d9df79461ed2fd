import Testing

@testable import Edge

@Suite struct RouteTests {
    @Test(arguments: [
        ("/ingest", Route.ingest), ("/ingest/", .ingest), ("/ingest?x", .ingest),
        ("/ingest//", .other), ("/", .root), ("/?x", .root), ("/health/", .health),
        ("/metrics#x", .metrics), ("/metric", .other), ("*", .other), ("", .other),
        ("http://h/ingest", .ingest), ("http://h", .root), ("https://h/health?x", .health),
        ("example.org:443", .other), ("/http://h/ingest", .other), ("http:///ingest", .ingest),
    ])
    func `a target is one of the known paths`(uri: String, route: Route) {
        #expect(Route(uri: uri) == route)
    }
}
