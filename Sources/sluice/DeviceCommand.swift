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
                SELECT json_build_object('device', row_to_json(known), 'quarantine', (
                        SELECT coalesce(json_agg(row_to_json(r)), '[]') FROM (
                            SELECT reason, count(*) AS readings,
                                max(received_at) AS last_received_at
                            FROM analytics.quarantine q WHERE q.device_id = $1
                            GROUP BY 1 ORDER BY 3 DESC) r))::text
                FROM (SELECT d.model_name, d.version, c.*
                    FROM analytics.device d JOIN analytics.completeness c USING (device_id)
                    WHERE d.device_id = $1 AND c.device_id = $1) known
                """, parameters)
            guard report.count == 1 else {
                throw Complaint(
                    "no device \"\(id)\" has sent a batch; what was set aside of it is in "
                        + "`sluice quarantine list --device`", code: EX_DATAERR)
            }
            guard !json else { return print(report.string(0, 0)) }
            parameters = Parameters()
            parameters.append(text: report.string(0, 0))
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
            let refused = try connection.query(
                """
                SELECT reason, readings::text, last_received_at::text
                FROM json_to_recordset($1::text::json -> 'quarantine')
                    AS r (reason text, readings bigint, last_received_at timestamptz)
                """, parameters)
            guard refused.count > 0 else { return print("\nnothing of it is in quarantine") }
            print("")
            Columns.show(
                ["SET ASIDE", "READINGS", "LAST"],
                (0..<refused.count).map { row in (0..<3).map { refused.string(row, $0) } })
        }
    }
}
