import Foundation
import Ingest
import Postgres
import Readings
import Scanner
import SpoolLog
import TestSupport
import Testing

/// Bodies whose readings name their devices, and those that name none.
@Suite(.timeLimit(.minutes(10))) struct BareBodyTests {
    private static let readings = [
        #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":60,"device_id":"a"}"#,
        #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":70,"device_id":"b","user_id":"ann"}"#,
        #"{"type":"vital","t":"2026-02-10T10:00:01Z","code":1,"val":71,"device_id":"b","user_id":"ann"}"#,
        #"{"type":"fax","t":"2026-02-10T10:00:00Z","device_id":"b","user_id":"ann"}"#,
        #"{"type":"vital","t":"2026-02-10T10:00:00Z","code":1,"val":60}"#,
    ]
    private static let body = "[\(readings.joined(separator: ","))]"

    private func demand(_ bench: Bench) throws {
        #expect(
            try bench.query(
                """
                SELECT device_id || ' ' || user_id || ' ' || value FROM analytics.vital ORDER BY 1
                """) == ["a a 60", "b ann 70", "b ann 71"])
        #expect(
            try bench.query(
                """
                SELECT device_id || ':' || user_id || ':' || reason FROM analytics.quarantine
                ORDER BY 1
                """) == ["::device_id_missing", "b:ann:type_unknown"])
        // What names no device is no device.
        #expect(
            try bench.query("SELECT device_id FROM sluice.device ORDER BY 1") == ["a", "b"])
        #expect(try bench.count("sluice.device_keys") == 2)
        #expect(try bench.count("sluice.device_state") == 2)
    }

    @Test func `readings belong to the devices and users that they name`() async throws {
        let bench = try await Bench.fresh("bare")
        #expect(
            try await bench.post(Self.body)
                == .committed(BatchCounts(stored: 3, quarantined: 2)))
        #expect(
            try await bench.post(Self.body)
                == .committed(BatchCounts(duplicates: 3, quarantined: 2)))
        try demand(bench)
        await bench.finish()
    }

    @Test func `readings that name no device are committed by themselves`() async throws {
        let bench = try await Bench.fresh("nameless")
        #expect(try await bench.post("[]") == .committed(BatchCounts()))
        #expect(
            try await bench.post("[{},{}]") == .committed(BatchCounts(quarantined: 2)))
        #expect(try bench.count("sluice.quarantine") == 1)
        #expect(try bench.count("sluice.device") == 0)
        await bench.finish()
    }

    @Test func `the spool keeps them as they are`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "bare_spool")
        let path = SpoolTests.directory()
        let first = await Bench(
            SpoolTests.nowhere, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        #expect(try await first.post(Self.body) == .spooled)
        await first.finish()
        let second = await Bench(settings, SpoolTests.hasty, spool: try SpoolTests.spool(path))
        try await SpoolTests.eventually { second.ingestor.spoolFigures?.records == 0 }
        try demand(second)
        await second.finish()
        try FileManager.default.removeItem(atPath: path)
    }
}
