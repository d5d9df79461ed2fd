import Testing

@testable import Edge

@Suite struct EdgeConfigurationTests {
    @Test func `the defaults are possible`() {
        #expect(EdgeConfiguration().faults.isEmpty)
    }

    @Test func `every fault is told at once`() {
        var configuration = EdgeConfiguration()
        configuration.port = 70_000
        configuration.inFlightBytesMax = 5
        configuration.idleTimeout = .zero
        #expect(
            configuration.faults.map(\.field) == ["port", "inFlightBytesMax", "idleTimeout"])
    }
}
