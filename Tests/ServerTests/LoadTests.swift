import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)), .serialized)
struct LoadTests {
    /// The sums of one client's answers.
    private struct Sums {
        var received = 0
        var stored = 0
        var duplicates = 0
        var quarantined = 0
        var refused = 0

        static func += (left: inout Sums, right: Sums) {
            left.received += right.received
            left.stored += right.stored
            left.duplicates += right.duplicates
            left.quarantined += right.quarantined
            left.refused += right.refused
        }
    }

    /// Sends overlapping windows, as clients do when they queue readings again, with faulty
    /// readings and broken bodies among them.
    private static func client(_ number: Int, _ urls: [String], rounds: Int) async throws -> Sums {
        let day = Fixtures.yesterday
        var sums = Sums()
        for round in 0..<rounds {
            let start = round * 20
            var body = Fixtures.batch("device \(number % 5)", seconds: start..<start + 30, day: day)
            let url = urls[(number + round) % urls.count] + "/ingest"
            switch round % 5 {
            case 3:
                body.removeLast(2)
                body += #",{"type":"wind"}]}"#
                sums.received += 31
            case 4:
                body.removeLast()
                sums.received += 30
            default:
                sums.received += 30
            }
            let (status, answer) = try await Poster.post(url, body)
            if round % 5 == 4 {
                #expect(status == 400)
                sums.refused += 30
                continue
            }
            #expect(status == 200)
            sums.stored += answer["stored"] as? Int ?? 0
            sums.duplicates += answer["duplicates"] as? Int ?? 0
            sums.quarantined += answer["quarantined"] as? Int ?? 0
        }
        return sums
    }

    @Test func `the counters balance at every scrape and agree with all answers`() async throws {
        let (environment, settings) = try Fixtures.environment("load")
        let server = try await RunningServer.start(environment: environment)
        var sums = Sums()
        try await withThrowingTaskGroup(of: Sums.self) { group in
            for number in 0..<10 {
                group.addTask { try await Self.client(number, [server.url], rounds: 30) }
            }
            group.addTask {
                for _ in 0..<100 {
                    let page = MetricsPage(try await server.get("/metrics").body)
                    #expect(page.received >= 0)
                    #expect(page.received == page.settledAndInFlight)
                }
                return Sums()
            }
            for try await part in group { sums += part }
        }
        let page = MetricsPage(try await server.get("/metrics").body)
        #expect(page.received == sums.received)
        #expect(page.outcome("stored") == sums.stored)
        #expect(page.outcome("duplicate") == sums.duplicates)
        #expect(page.outcome("quarantined") == sums.quarantined)
        #expect(page.outcome("refused") == sums.refused)
        #expect(page["sluice_readings_in_flight"] == 0)
        #expect(try Fixtures.count("sluice.gps", settings) == sums.stored)
        // Five devices, each with the seconds from 0 to 609, except those that were only in
        // broken bodies: ten in each of five windows, twenty in the last.
        #expect(sums.stored == 5 * (610 - 5 * 10 - 20))
        #expect(page["sluice_http_requests_total{route=\"/ingest\",status=\"200\"}"] == 240)
        #expect(try await server.end() == 0)
    }

    @Test func `two servers on one database store nothing twice`() async throws {
        let (environment, settings) = try Fixtures.environment("two")
        var other = environment
        other["SLUICE_DATA_DIR"]? += "-other"
        let servers = try await [
            RunningServer.start(environment: environment),
            RunningServer.start(environment: other),
        ]
        var sums = Sums()
        try await withThrowingTaskGroup(of: Sums.self) { group in
            for number in 0..<10 {
                group.addTask { try await Self.client(number, servers.map(\.url), rounds: 20) }
            }
            for try await part in group { sums += part }
        }
        #expect(try Fixtures.count("sluice.gps", settings) == sums.stored)
        #expect(
            try Fixtures.count("(select distinct device_key, t from sluice.gps) d", settings)
                == sums.stored)
        for server in servers { #expect(try await server.end() == 0) }
    }
}
