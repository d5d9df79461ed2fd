import Foundation
import Instruments
import Logging
import Postgres
import Readings
import Retention
import TestSupport
import Testing

/// `sluice import` of old days, beside a server, and beside a keeper that seals days at a short pace.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct SealedImportTests {
    private static let days = 300
    private static let devices = 4
    private static let readingsOfDay = 4

    /// Readings of one device on all days, as `sluice export vital` writes them.
    private static func file(_ device: Int) throws -> String {
        var text = ""
        for ago in (3..<3 + days).reversed() {
            let date = Date(timeIntervalSinceNow: -86_400 * Double(ago))
            let day = date.formatted(.iso8601.year().month().day())
            for number in 0..<readingsOfDay {
                text += #"{"device_id":"d\#(device)","user_id":"u","metric":"heart_rate","#
                text += #""time":"\#(day)T0\#(number):00:00Z","value":\#(60 + number)}"# + "\n"
            }
        }
        let path = TestCluster.freshDirectory() + ".ndjson"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// - Parameter quiet: how long no readings have come to a day before it is sealed, in seconds. With
    ///   0, days are sealed while their readings are still imported.
    @Test(arguments: [0, 5])
    func `an import of many days beside sealing is stored exactly once`(quiet: Int) async throws {
        let (environment, settings) = try Fixtures.environment("import_sealed")
        let connection = try Connection.open(settings, deadline: .now + .seconds(600))
        defer { connection.close() }
        let server = try await RunningServer.start(environment: environment)
        let (keeper, registry) = Self.keeper(settings, quiet: quiet)
        let sealing = Task { try await keeper.run() }
        defer { sealing.cancel() }
        let paths = try (1...Self.devices).map(Self.file)
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        let ofFile = Self.days * Self.readingsOfDay
        var live = 0
        let start = ContinuousClock.now
        func post() async throws {
            live += 1
            let reading =
                #"{"t":"\#(Fixtures.yesterday)T00:00:0\#(live)Z","type":"vital","code":1,"val":60}"#
            let body = #"{"metadata":{"device_id":"live"},"data":[\#(reading)]}"#
            #expect(try await server.post(body).number("stored") == 1)
        }
        func bring(_ path: String) async throws -> String {
            try await post()
            let outcome = try await Subprocess.sluice("import", path, environment: environment)
            #expect(outcome.status == 0, "\(outcome)")
            return outcome.out
        }
        for path in paths {
            #expect(try await bring(path).contains("\(ofFile) stored, 0 were stored already"))
        }
        let imported = ContinuousClock.now - start
        func sealedDays() throws -> Int {
            try Fixtures.count("sluice.sealed_day WHERE state = 'sealed'", settings)
        }
        let sealedBefore = try sealedDays()
        let isSealed = try await eventually(every: .milliseconds(200)) {
            // A day whose hours were not summed in time rests for a minute.
            try connection.execute("UPDATE sluice.failing_item SET next_at = now()")
            return try sealedDays() == Self.days
                && Fixtures.count("sluice_sealed.changed", settings) == 0
        }
        #expect(isSealed)
        print(
            "quiet \(quiet) s: imported in \(imported) with \(sealedBefore) days sealed by then, "
                + "all sealed after \(ContinuousClock.now - start)")
        #expect(try await bring(paths[0]).contains("0 stored, \(ofFile) were stored already"))
        let rows = try connection.query(
            """
            SELECT count(*), count(DISTINCT (device_id, time, value)),
                count(*) FILTER (WHERE value = 60 + date_part('hour', time AT TIME ZONE 'UTC'))
            FROM analytics.vital WHERE device_id <> 'live'
            """)
        for column in 0..<3 { #expect(Int(rows.int64(0, column)) == Self.devices * ofFile) }
        #expect(try Fixtures.count("analytics.vital WHERE device_id = 'live'", settings) == live)
        #expect(try await server.end() == 0)
        let metrics = registry.render()
        print(metrics.split(separator: "\n").filter { $0.hasPrefix("sluice_sealing") })
        func metric(_ name: String) -> Int? {
            metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap {
                Int($0.split(separator: " ")[1])
            }
        }
        // Each day once, however many readings came afterwards.
        #expect(metric(#"sluice_sealing_partitions_total{outcome="sealed"}"#) == Self.days)
        let merged = try #require(metric("sluice_sealing_merged_total"))
        #expect(merged <= (quiet == 0 ? Self.devices * Self.days : 0))
    }

    private static func keeper(
        _ settings: ConnectionSettings, quiet: Int
    ) -> (SealingKeeper, Registry) {
        var configuration = RetentionConfiguration()
        configuration.sealAfterDays = 2
        var timing = SealingKeeper.Timing()
        timing.delay = .zero
        timing.interval = .milliseconds(500)
        timing.pause = .zero
        timing.quietMin = .seconds(quiet)
        // A table without rows has 16 KiB, one with some has 24.
        timing.bytesMin = 20 << 10
        let registry = Registry()
        let keeper = SealingKeeper(
            settings: settings, configuration, registry: registry,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            timing: timing)
        return (keeper, registry)
    }
}
