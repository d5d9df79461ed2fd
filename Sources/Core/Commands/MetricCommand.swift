import ArgumentParser
import Foundation
import Postgres
import Server
import Status

struct MetricCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metric",
        abstract: "Name the codes of measurements, and list them.",
        discussion: """
            Devices send measurements with a code. A name and a unit make them readable in all \
            views of the schema analytics. Measurements with other codes are stored too, and those \
            with a name in place of a code get a code from 1000 up.
            """,
        subcommands: [List.self, Name.self])

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List codes with name, unit, and who sent them in the last 30 days.")

        @OptionGroup var options: ConfigurationOptions

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let rows = try connection.query(
                """
                SELECT code::text, coalesce(name, '-'), coalesce(nullif(unit, ''), '-'), devices::text,
                    readings::text, coalesce(last_seen::text, '-')
                FROM analytics.metric ORDER BY code
                """)
            Columns.show(
                ["CODE", "NAME", "UNIT", "DEVICES", "READINGS", "LAST SEEN"],
                (0..<rows.count).map { row in (0..<6).map { rows.string(row, $0) } })
        }
    }

    struct Name: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a code its name and unit.",
            discussion: """
                A name that the code has already is replaced, also for measurements that are \
                stored. Example:

                  sluice metric name 30 spo2 %

                A negative code needs `--` before it:

                  sluice metric name -- -5 offset mm
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The code that devices send.")
        var code: Int16
        @Argument(help: "Its name: lower-case letters, digits and _, such as spo2.")
        var name: String
        @Argument(help: "The unit of its values, such as %, bpm or count.")
        var unit: String

        func validate() throws {
            guard name.wholeMatch(of: /[a-z][a-z0-9_]{0,62}/) != nil else {
                throw ValidationError(
                    "a name must be 1 to 63 lower-case letters, digits and _, and begin with a letter"
                )
            }
            guard (1...30).contains(unit.count),
                unit.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { throw ValidationError("a unit must have 1 to 30 characters") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(int4: Int32(code))
            parameters.append(text: name)
            let taken = try connection.query(
                "SELECT code::text FROM sluice.metric WHERE name = $2 AND code <> $1", parameters)
            guard taken.count == 0 else {
                throw ExitError("code \(taken.string(0, 0)) has that name", code: EX_DATAERR)
            }
            parameters.append(text: unit)
            try connection.query(
                """
                INSERT INTO sluice.metric (code, name, unit) VALUES ($1, $2, $3)
                ON CONFLICT (code) DO UPDATE SET name = excluded.name, unit = excluded.unit
                """, parameters)
            // Devices may send the name, too, unless it is another code's already.
            var alias = Parameters()
            alias.append(text: name)
            alias.append(int4: Int32(code))
            try connection.query(
                """
                INSERT INTO sluice.metric_name (name, code) VALUES ($1, $2)
                ON CONFLICT DO NOTHING
                """, alias)
            print("\(code) is \(name) in \(TerminalText.safe(unit))")
        }
    }
}
