import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct HTTPConfigurationTests {
    @Test func `the defaults are valid`() {
        #expect(HTTPConfiguration().faults.isEmpty)
    }

    @Test func `all faults are reported at once`() {
        var configuration = HTTPConfiguration()
        configuration.port = 70_000
        configuration.inFlightBytesMax = 5
        configuration.idleTimeout = .zero
        #expect(
            configuration.faults.map(\.field) == ["port", "inFlightBytesMax", "idleTimeout"])
    }
}
