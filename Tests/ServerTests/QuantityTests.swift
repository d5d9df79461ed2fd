import Testing

@testable import Server

@Suite struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("1024", 1024), ("7B", 7), ("16KiB", 16_384), ("1 MiB", 1_048_576),
        ("2GiB", 2_147_483_648),
    ])
    func `bytes are read`(text: String, bytes: Int) {
        #expect(Quantity.bytes(text) == bytes)
    }

    @Test(arguments: [
        "", "KiB", "-1", "1.5MiB", "1KB", "1k", "9223372036854775807KiB", "99999999999999999999",
        "1 KiB x", "0x10", "٣",
    ])
    func `other bytes are rejected`(text: String) {
        #expect(Quantity.bytes(text) == nil)
    }

    @Test(
        arguments: [
            ("0", .zero), ("0ms", .zero), ("250ms", .milliseconds(250)), ("5s", .seconds(5)),
            ("2 m", .seconds(120)),
            ("3h", .seconds(10_800)), ("731d", .seconds(63_158_400)),
        ] as [(String, Duration)])
    func `durations are read`(text: String, duration: Duration) {
        #expect(Quantity.duration(text) == duration)
    }

    @Test(arguments: ["", "5", "s", "-5s", "1.5s", "5 min", "5S", "9223372036854775807d"])
    func `other durations are rejected`(text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(arguments: [0, 1, 1023, 1024, 1025, 65_536, 3 << 20, 5 << 30])
    func `a written amount is read back`(amount: Int) {
        #expect(Quantity.bytes(Quantity.text(bytes: amount)) == amount)
        let duration = Duration.milliseconds(amount)
        #expect(Quantity.duration(Quantity.text(duration: duration)) == duration)
    }
}
