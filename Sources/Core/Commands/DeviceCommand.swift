import ArgumentParser
import Foundation
import Postgres
import Server
import Status

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show one device: its stored and quarantined readings.",
        subcommands: [Show.self])

    struct Show: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a device's attributes, the state of its data, and its quarantine.",
            discussion: """
                Each user of the device is printed by itself, the latest to send first.
                \\d+ analytics.completeness in psql explains the names.

                  sluice device show 9b2f5c1e-phone
                """)

        @Flag(help: "Print one JSON object.")
        var json = false
        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The device's id.")
        var id: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(text: id.lowercased())
            let unknown = ExitError("unknown device \"\(id)\"", code: EX_DATAERR)
            guard !json else {
                let report = try connection.query(Self.report, parameters)
                guard report.count > 0 else { throw unknown }
                return JSONOutput.show(report.string(0, 0))
            }
            let known = try connection.query(
                "SELECT e.key, coalesce(e.value, '-'), e.place = 1 FROM (\(Self.known)) k, "
                    + "json_each_text(row_to_json(k)) WITH ORDINALITY e (key, value, place)",
                parameters)
            let refused = try connection.query(
                "SELECT r.reason, r.readings::text, r.last_received_at::text "
                    + "FROM (\(Self.refused)) r ORDER BY r.last_received_at DESC", parameters)
            guard known.count > 0 || refused.count > 0 else { throw unknown }
            let width = (0..<known.count).map { known.string($0, 0).count }.max() ?? 0
            for line in 0..<known.count {
                if line > 0, known.bool(line, 2) { print("") }
                let name = known.string(line, 0)
                print(
                    name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
                        + TerminalText.safe(known.string(line, 1)))
            }
            print(known.count == 0 ? "no readings of this device are stored\n" : "")
            guard refused.count > 0 else { return print("no readings are in quarantine") }
            Columns.show(
                ["QUARANTINED", "READINGS", "LAST"],
                (0..<refused.count).map { row in (0..<3).map { refused.string(row, $0) } })
        }

        private static let known = """
            SELECT d.model_name, d.version, c.*
            FROM analytics.device d
            JOIN analytics.completeness c USING (device_id, user_id, first_seen)
            WHERE d.device_id = $1 AND c.device_id = $1
            ORDER BY c.last_seen DESC, c.user_id
            """

        private static let refused = """
            SELECT reason, count(*) AS readings, max(received_at) AS last_received_at
            FROM analytics.quarantine WHERE device_id = $1 GROUP BY 1
            """

        /// Returns no row for an unknown device.
        private static let report = """
            SELECT json_build_object(
                'users', coalesce(d.list, '[]'), 'quarantine', coalesce(q.list, '[]'))::text
            FROM (SELECT json_agg(row_to_json(k)) AS list FROM (\(known)) k) d,
                (SELECT json_agg(row_to_json(r) ORDER BY r.last_received_at DESC) AS list
                FROM (\(refused)) r) q
            WHERE d.list IS NOT NULL OR q.list IS NOT NULL
            """
    }
}
