import Testing

@testable import Status

@Suite struct SlowestDevicesTests {
    /// `#expect` accepts no call of a mutating method.
    private static func expect(
        _ value: Bool, _ expected: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test func `the slowest devices of many batches are kept, each once, in any order`() {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var list = SlowestDevices()
            _ = list.turn(unixSeconds: 100)
            var worst: [String: Int64] = [:]
            for _ in 0..<2000 {
                let device = "device-\(Int.random(in: 0..<300, using: &dice))"
                let time = Int64.random(in: 0...1_000_000_000, using: &dice)
                worst[device] = max(worst[device] ?? 0, time)
                list.note(device, nanoseconds: time, unixSeconds: 100)
            }
            let expected = worst.values.sorted(by: >).prefix(SlowestDevices.countMax)
            #expect(list.entries.map(\.nanoseconds).sorted(by: >) == Array(expected))
            #expect(Set(list.entries.map(\.deviceID)).count == SlowestDevices.countMax)
        }
    }

    @Test func `a slow batch is shown for one to two windows`() {
        var list = SlowestDevices()
        _ = list.turn(unixSeconds: 100)
        list.note("slow", nanoseconds: 9, unixSeconds: 100)
        Self.expect(list.turn(unixSeconds: 105), true)
        Self.expect(list.turn(unixSeconds: 110), true)
        #expect(list.entries.map(\.deviceID) == ["slow"])
        list.note("quick", nanoseconds: 1, unixSeconds: 111)
        Self.expect(list.turn(unixSeconds: 120), true)
        #expect(list.entries.map(\.deviceID) == ["quick"])
        Self.expect(list.turn(unixSeconds: 200), true)
        #expect(list.entries.isEmpty)
        Self.expect(list.turn(unixSeconds: 201), false)
    }

    @Test func `setting the clock back starts a new window`() {
        var list = SlowestDevices()
        _ = list.turn(unixSeconds: 1000)
        list.note("one", nanoseconds: 5, unixSeconds: 1000)
        Self.expect(list.turn(unixSeconds: 500), true)
        list.note("two", nanoseconds: 6, unixSeconds: 500)
        #expect(Set(list.entries.map(\.deviceID)) == ["one", "two"])
    }

    @Test func `a board shows the slowest of all loops, each device once`() {
        let board = SlowestBoard()
        func entry(_ device: String, _ time: Int64) -> SlowestDevices.Entry {
            SlowestDevices.Entry(deviceID: device, nanoseconds: time, unixSeconds: 1)
        }
        board.put((0..<8).map { entry("a\($0)", 100 + $0) }, of: 0)
        board.put((0..<8).map { entry("b\($0)", 200 + $0) } + [entry("a0", 900)], of: 1)
        #expect(board.slowest.count == SlowestDevices.countMax)
        #expect(board.slowest.first?.deviceID == "a0")
        #expect(board.slowest.first?.nanoseconds == 900)
        #expect(board.slowest.map(\.nanoseconds) == board.slowest.map(\.nanoseconds).sorted(by: >))
        board.put([], of: 1)
        #expect(board.slowest.count == 8)
    }
}
