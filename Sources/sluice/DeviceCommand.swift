import ArgumentParser
import Foundation
import Postgres
import SluiceService

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Look at one device: what is stored of it, up to when, and what was set aside.",
        subcommands: [Show.self])

    struct Show: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what is known of a device.",
            discussion: """
                What the names mean is in the database: \\d+ analytics.completeness in psql.

                  sluice device show 9b2f5c1e-phone
                """)

        @Flag(help: "As one JSON object.")
        var json = false
        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The device's id.")
        var id: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(text: id.lowercased())
            let report = try connection.query(
                """
                WITH known AS (
                    SELECT d.model_name, d.version, c.*
                    FROM analytics.device d JOIN analytics.completeness c USING (device_id)
                    WHERE d.device_id = $1 AND c.device_id = $1
                ), refused AS (
                    SELECT reason, count(*) AS readings, max(received_at) AS last_received_at
                    FROM analytics.quarantine WHERE device_id = $1 GROUP BY 1
                )
                SELECT json_build_object(
                        'device', (SELECT row_to_json(k) FROM known k), 'quarantine', coalesce((
                            SELECT json_agg(row_to_json(r) ORDER BY last_received_at DESC)
                            FROM refused r), '[]'))::text,
                    (SELECT count(*) FROM known), (SELECT count(*) FROM refused)
                """, parameters)
            let (isKnown, isRefused) = (report.int64(0, 1) > 0, report.int64(0, 2) > 0)
            guard isKnown || isRefused else {
                throw Complaint("nothing is known of a device \"\(id)\"", code: EX_DATAERR)
            }
            guard !json else { return print(report.string(0, 0)) }
            parameters = Parameters()
            parameters.append(text: report.string(0, 0))
            try showKnown(isKnown, parameters, connection)
            print("")
            try showRefused(isRefused, parameters, connection)
        }

        private func showKnown(
            _ isKnown: Bool, _ parameters: Parameters, _ connection: Connection
        ) throws {
            guard isKnown else { return print("no reading of it is stored") }
            let lines = try connection.query(
                """
                SELECT key, coalesce(value, '-') FROM json_each_text($1::text::json -> 'device')
                """, parameters)
            let width = (0..<lines.count).map { lines.string($0, 0).count }.max() ?? 0
            for line in 0..<lines.count {
                let name = lines.string(line, 0).padding(
                    toLength: width + 2, withPad: " ", startingAt: 0)
                print(name + lines.string(line, 1))
            }
        }

        private func showRefused(
            _ isRefused: Bool, _ parameters: Parameters, _ connection: Connection
        ) throws {
            guard isRefused else { return print("nothing of it is in quarantine") }
            let refused = try connection.query(
                """
                SELECT reason, readings::text, last_received_at::text
                FROM json_to_recordset($1::text::json -> 'quarantine')
                    AS r (reason text, readings bigint, last_received_at timestamptz)
                """, parameters)
            Columns.show(
                ["SET ASIDE", "READINGS", "LAST"],
                (0..<refused.count).map { row in (0..<3).map { refused.string(row, $0) } })
        }
    }
}
