import Foundation
import Testing

@testable import Status

@Suite struct HistoryTests {
    private struct Text: Decodable {
        let ages: [Double]
        let values: [String: [Double?]]
    }

    private static func read(_ history: History, at uptimeSeconds: Double) throws -> Text? {
        guard let json = history.json(uptimeSeconds: uptimeSeconds) else { return nil }
        #expect(!json.contains("\n"))
        return try JSONDecoder().decode(Text.self, from: Data(json.utf8))
    }

    @Test func `one hour is kept, and no more`() throws {
        var history = History()
        #expect(try Self.read(history, at: 0) == nil)
        for number in 1...(History.pointsMax + 10) {
            var situation = Situation()
            situation.now.totals.stored = Double(number)
            situation.now.uptime = .seconds(1000 + 5 * number)
            situation.earlier.uptime = situation.now.uptime - .seconds(1)
            history.append(situation.report)
        }
        #expect(history.count == History.pointsMax)
        let text = try #require(try Self.read(history, at: 1000 + 5 * 730 + 2.5))
        #expect(text.ages.first == 719 * 5 + 2.5)
        #expect(text.ages.last == 2.5)
        #expect(text.values["rates.stored"]?.first == 11)
        #expect(text.values["rates.stored"]?.last == 730)
        #expect(text.values.values.allSatisfy { $0.count == History.pointsMax })
    }

    @Test func `a figure that was not measured is null`() throws {
        var history = History()
        history.append(Situation().report)
        var situation = Situation()
        situation.load(batches: 100, wait: 0.001, service: 0.002, busy: 0.25)
        situation.cores(loops: 0.5, machine: 0.75)
        history.append(situation.report)
        let values = try #require(try Self.read(history, at: 2000)).values
        let halves = try #require(values["latency.acknowledgement.last.p50"])
        #expect(halves[0] == nil)
        #expect(try #require(halves[1]) > 0.002)
        #expect(values["busy.lanes"] == [0, 0.25])
        #expect(values["process.loop_busy_share"] == [0, 0.5])
        #expect(values["process.host_busy_share"]?.last == 0.75)
    }
}
