import Ingest
import Readings
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Which refusals the status page knows.
@Suite struct RefusalBoardTests {
    /// Key, device, route, status; of each refusal.
    private static func noted(_ rig: ConnectionRig) -> [[String?]] {
        rig.refusals.refusals.map {
            [$0.sender.key, $0.sender.device, $0.sender.route, "\($0.status)"]
        }
    }

    @Test(
        arguments: [
            (Samples.post(key: "wrong"), [nil, nil, "/ingest", "401"]),
            (Samples.post(key: "app-key"), ["app", nil, "/ingest", "403"]),
            (Samples.post(key: "old-key"), ["old", nil, "/ingest", "401"]),
            (Samples.post("{"), ["good", nil, "/ingest", "400"]),
            (
                Samples.post(#"{"metadata":{"device_id":"Watch-7"},"data":[}"#),
                ["good", "watch-7", "/ingest", "400"]
            ),
        ] as [(String, [String?])])
    func `a refusal is noted with the sender as far as it is known`(
        request: String, noted: [String?]
    ) throws {
        let rig = try ConnectionRig()
        try rig.send(request)
        #expect(try rig.answer().status == Int(noted[3] ?? ""))
        #expect(Self.noted(rig) == [noted])
        #expect(rig.refusals.refusals[0].unixSeconds == ConnectionRig.now.unixSeconds)
    }

    @Test func `the last refusal of a sender replaces the one before`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post("{"))
        _ = try rig.answer()
        try rig.send(Samples.post("[}"))
        let answer = try rig.answer()
        let refusal = rig.refusals.refusals[0]
        #expect(refusal.count == 2 && rig.refusals.refusals.count == 1)
        #expect(answer.detail == refusal.sentence)
    }

    @Test func `neither success nor want of room is noted`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post())
        rig.commitHeld()
        #expect(try rig.answer().status == 200)
        try rig.send(Samples.post())
        rig.sink.finishHeld(.unavailable(retryAfter: .seconds(1)))
        rig.run()
        #expect(try rig.answer().status == 503)
        let full = try ConnectionRig(.answer(.full(retryAfter: .seconds(1))))
        try full.send(Samples.post())
        #expect(try full.answer().status == 503)
        #expect(Self.noted(rig).isEmpty && Self.noted(full).isEmpty)
    }

    @Test func `a batch that the database refuses is noted with its device`() throws {
        let rig = try ConnectionRig()
        try rig.send(Samples.post(#"{"metadata":{"device_id":"d"},"data":[]}"#))
        rig.sink.finishHeld(.refused(sqlState: "23514"))
        rig.run()
        let status = try rig.answer().status
        #expect(Self.noted(rig) == [["good", "d", "/ingest", "\(status)"]])
    }

    @Test func `the sender whose refusal is the oldest goes first`() {
        let board = RefusalBoard()
        for number in 0...RefusalBoard.sendersMax {
            // The first is refused again at the end.
            for device in Set(["\(number)", "0"]) {
                board.note(
                    .batchRefused, of: .init(key: "k", device: device, route: "/ingest"),
                    unixSeconds: Int64(number))
            }
        }
        let devices = Set(board.refusals.map(\.sender.device))
        #expect(devices.count == RefusalBoard.sendersMax)
        #expect(!devices.contains("1") && devices.contains("0") && devices.contains("200"))
    }
}
