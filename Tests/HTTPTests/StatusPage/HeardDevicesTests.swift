import Foundation
import Postgres
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite(.timeLimit(.minutes(10))) struct HeardDevicesTests {
    private static let key = ["X-API-Key: \(RoutesServer.key)"]

    @Test func `devices are listed by when they were heard, with refusals`() async throws {
        try await RoutesServer.with { server in
            let connection = try Connection.open(
                server.settings, deadline: .now + .seconds(120))
            defer { connection.close() }
            // The device `one` has two users.
            try connection.execute(
                """
                insert into sluice.device (device_key, device_id, user_id)
                    values (1, 'one <b>', 'po'), (2, 'two', 'po'), (3, 'one <b>', 'lin');
                insert into sluice.device_state (device_key, key_check, last_seen)
                    select n, 0, timestamptz '2026-01-22 10:00:00.5Z' + n * interval '1 s'
                    from generate_series(1, 3) n
                """)
            let refused = try await server.ask(
                "POST", "/ingest", ["X-API-Key: wrong"], body: Array("{}".utf8))
            #expect(refused.status == 401)
            let answer = try await server.ask("GET", "/status/devices", Self.key)
            #expect(answer.status == 200)
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.number("limit") == HeardDevices.devicesMax)
            let devices = try #require(answer.json?["devices"] as? [[String: String]])
            #expect(
                devices == [
                    ["device": "one <b>", "heard": "2026-01-22T10:00:03Z"],
                    ["device": "two", "heard": "2026-01-22T10:00:02Z"],
                ])
            let refusals = try #require(answer.json?["refusals"] as? [[String: Any]])
            let refusal = try #require(refusals.first)
            #expect(refusals.count == 1 && refusal["status"] as? Int == 401)
            #expect(refusal["key"] is NSNull && refusal["device"] is NSNull)
            #expect(refusal["route"] as? String == "/ingest" && refusal["count"] as? Int == 1)
            #expect(refusal["sentence"] as? String == refused.detail)
        }
    }

    @Test func `without the database the refusals are told`() async throws {
        try await RoutesServer.with { server in
            let connection = try Connection.open(
                server.settings, deadline: .now + .seconds(120))
            defer { connection.close() }
            try connection.execute("drop table sluice.device_state cascade")
            let answer = try await server.ask("GET", "/status/devices", Self.key)
            #expect(answer.status == 200 && answer.json?["devices"] is NSNull)
            #expect((answer.json?["refusals"] as? [Any])?.isEmpty == true)
        }
    }
}
