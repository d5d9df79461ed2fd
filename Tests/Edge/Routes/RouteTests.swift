import Testing

@testable import Edge

@Suite struct RouteTests {
    @Test(arguments: [
        ("/ingest", Route.ingest), ("/ingest/", .ingest), ("/ingest?x", .ingest),
        ("/ingest//", .other), ("/", .root), ("/?x", .root), ("/health/", .health),
        ("/metrics#x", .metrics), ("/metric", .other), ("*", .other), ("", .other),
        ("http://h/ingest", .ingest), ("http://h", .root), ("https://h/health?x", .health),
        ("example.org:443", .other), ("/http://h/ingest", .other), ("http:///ingest", .ingest),
        ("/api/v1/meal-logs?x", .mealLogs), ("/api/v1/meal-logs/natural", .mealNatural),
        ("/api/v1/meal-logs/batch/", .mealBatch), ("/api/v1/meal-logs/7", .mealLog),
        ("/api/v1/consultations", .consultations), ("/ws/meal-logs?token=x", .mealSocket),
        ("/api/v1/consultations/7/ws", .consultationSocket), ("/api/v1/foods", .foods),
        ("/api/v1/user-foods", .userFoods), ("/api/v1/user-foods/7", .userFood),
        ("/api/v1/meal-logs//", .otherMeals), ("/api/v1/consultations/7", .otherMeals),
        ("/status", .status), ("/status/?x", .status), ("/status/events", .statusEvents),
        ("/status/positions/", .statusPositions), ("/status/session", .statusSession),
        ("/status/page/map.js", .statusPage), ("/status/page", .other), ("/status/page/", .other),
        ("/status/page/a/b", .other), ("/status/x", .other), ("/statuses", .other),
        ("/api/v1/", .other), ("/api/v1", .other), ("/api/v1/soups", .otherMeals),
    ])
    func `a target is one of the known paths`(uri: String, route: Route) {
        #expect(Route(uri: uri) == route)
    }
}
