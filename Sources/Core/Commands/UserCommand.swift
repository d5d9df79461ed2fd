import ArgumentParser
import Foundation
import Postgres
import Server
import Status

struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Set the time zone that a user's days are counted in.",
        subcommands: [Zone.self])

    struct Zone: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a user's time zone, or set it.",
            discussion: """
                The views vital_local_day and device_local_day count the days of this zone; so do \
                the apps' days, which are made anew. Without a zone days are those of UTC. Examples:

                  sluice user zone ann
                  sluice user zone ann Asia/Kolkata
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The user's id, exactly as apps and devices send it.")
        var user: String
        @Argument(help: "A name of the IANA database, such as Europe/Berlin.")
        var zone: String?

        func validate() throws {
            guard !user.isEmpty else { throw ValidationError("the user's id must not be empty") }
        }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            var parameters = Parameters()
            parameters.append(text: user)
            guard let zone else {
                let rows = try connection.query(
                    "SELECT time_zone FROM sluice.app_user WHERE user_id = $1", parameters)
                let isSet = rows.count > 0 && !rows.isNull(0, 0)
                return print(isSet ? TerminalText.safe(rows.string(0, 0)) : "UTC")
            }
            parameters.append(text: zone)
            guard try TimeZoneNames.contains(zone, on: connection) else {
                throw ExitError(
                    "unknown time zone \"\(TerminalText.safe(zone))\"; it must be a name such as "
                        + "Europe/Berlin", code: EX_DATAERR)
            }
            let users = try connection.query(
                """
                SELECT user_id FROM sluice.device WHERE user_id = $1
                UNION ALL SELECT user_id FROM sluice.app_user WHERE user_id = $1 LIMIT 1
                """, Self.only(user))
            guard users.count > 0 else {
                throw ExitError("unknown user \"\(TerminalText.safe(user))\"", code: EX_DATAERR)
            }
            try connection.query(
                """
                INSERT INTO sluice.app_user (user_id, time_zone) VALUES ($1, $2)
                ON CONFLICT (user_id) DO UPDATE SET time_zone = excluded.time_zone
                """, parameters)
            print("days of \(TerminalText.safe(user)) are those of \(zone)")
        }

        private static func only(_ user: String) -> Parameters {
            var parameters = Parameters()
            parameters.append(text: user)
            return parameters
        }
    }
}
