import Foundation
import Postgres
import TestSupport
import Testing

/// Common beginnings of this module's tests.
enum Fixtures {
    /// The sample body of the client guide.
    static let sample =
        #"{"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0","#
        + #""model_name":"iPhone 15 Pro"},"data":[{"t":"2026-02-10T14:57:07Z","type":"gps","#
        + #""lat":34.0522,"lon":-118.2437,"acc":5.0},{"t":"2026-02-10T14:57:02Z","#
        + #""type":"vital","code":1,"val":72},{"t":"2026-02-10T14:56:57Z","type":"event","#
        + #""label":"motion_state","val_text":"walking"}]}"#

    /// Wide enough that the sample is always accepted.
    static let sampleAge = "36525d"

    /// An environment with a fresh, migrated database of the tests' cluster and the key `test-key`.
    static func environment(
        _ name: String, _ more: [String: String] = [:]
    ) throws -> (environment: [String: String], settings: ConnectionSettings) {
        let settings = try TestCluster.shared.freshDatabase(named: name)
        var environment = [
            "DATABASE_URL": settings.connectionStringWithoutPassword,
            "INGEST_API_KEY": "test-key",
            "SLUICE_DATA_DIR": TestCluster.freshDirectory(),
            "SLUICE_READING_AGE_MAX": sampleAge,
        ]
        environment.merge(more) { $1 }
        return (environment, settings)
    }

    /// A batch of gps readings at the given seconds of a day.
    static func batch(_ device: String, seconds: some Sequence<Int>, day: String) -> String {
        let readings = seconds.map { second in
            let (minute, rest) = (second / 60 % 60, second % 60)
            let time = String(format: "%@T%02d:%02d:%02dZ", day, second / 3600, minute, rest)
            return #"{"t":"\#(time)","type":"gps","lat":1.5,"lon":2.5}"#
        }
        let data = readings.joined(separator: ",")
        return #"{"metadata":{"device_id":"\#(device)"},"data":[\#(data)]}"#
    }

    /// Yesterday, as in readings.
    static var yesterday: String {
        Date(timeIntervalSinceNow: -86_400).formatted(.iso8601.year().month().day())
    }

    static func count(_ sql: String, _ settings: ConnectionSettings) throws -> Int {
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        defer { connection.close() }
        return Int(try connection.query("select count(*) from \(sql)").int64(0, 0))
    }

    /// Whether all news are confirmed soon: a client's pong is on its way when the client ends.
    static func isDelivered(_ settings: ConnectionSettings) async throws -> Bool {
        try await eventually(every: .milliseconds(50)) {
            try count("sluice.undelivered", settings) == 0
        }
    }

    /// For tests of other features: a machine that stalls must not send a batch to the spool.
    static let unhurried = [
        "SLUICE_PATIENCE": "20s", "SLUICE_START_WAIT_MAX": "60s", "SLUICE_STALL_MAX": "60s",
        "SLUICE_HEARTBEAT_MAX": "20s",
    ]
}
