import Testing

@testable import Edge

@Suite struct EdgeConfigurationTests {
    @Test func `the defaults are valid`() {
        #expect(EdgeConfiguration().faults.isEmpty)
    }

    @Test func `all faults are reported at once`() {
        var configuration = EdgeConfiguration()
        configuration.port = 70_000
        configuration.inFlightBytesMax = 5
        configuration.idleTimeout = .zero
        #expect(
            configuration.faults.map(\.field) == ["port", "inFlightBytesMax", "idleTimeout"])
    }
}
