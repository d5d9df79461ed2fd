import Analysts
import ArgumentParser
import Foundation
import Postgres
import Readings
import Server

struct AnalystCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyst",
        abstract: "Create, list and drop database roles that read the data with psql.",
        discussion: """
            An analyst role reads only the schema analytics. Its sessions are read-only by \
            default, and its queries end after five minutes. If nobody else uses the database, the \
            rights to make temporary tables and large objects are revoked from everybody (PUBLIC). \
            Begin with \\dv+ and \\d+ gps in psql; sql/queries has examples.
            """,
        subcommands: [Create.self, List.self, Drop.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a role and print its password once.",
            discussion: """
                Only the password goes to standard output; the command to connect goes to \
                standard error. Examples:

                  sluice analyst create ann
                  sluice analyst create intern --valid-until 90d
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The role's name: lower-case letters, digits and _.")
        var name: String
        @Option(help: "When it expires: 90d, 12h, or a time such as 2027-01-31T00:00:00Z.")
        var validUntil: String?

        func validate() throws {
            guard Analysts.isName(name) else {
                throw ValidationError(
                    "a name must be 1 to 63 lower-case letters, digits and _, with no digit first")
            }
            if let validUntil, Moments.end(validUntil) == nil {
                throw ValidationError(
                    "--valid-until must be 90d, 12h, or a future time such as 2027-01-31T00:00:00Z")
            }
        }

        func run() {
            ExitError.unlessDone {
                let configuration = try options.read()
                let access = try DatabaseAccess(configuration)
                let end = validUntil.flatMap(Moments.end)
                let outcome = Result {
                    let connection = try access.migratedConnection()
                    let made = try Analysts.create(name, validUntil: end, on: connection)
                    if configuration.databaseURL == nil { try Analysts.guardAll(on: connection) }
                    return (made, try connection.listeningPort)
                }
                var settings = access.settings
                try access.close()
                let (made, port) = try outcome.get()
                print(made.password)
                let isPrivate = configuration.databaseURL == nil
                if isPrivate, let port {
                    settings = settings.directed(toHost: "127.0.0.1", port: port)
                }
                settings.user = name
                show(settings, until: end, isClosed: isPrivate && port == nil)
                if made.isOnCitus {
                    StandardError.write("\n\(Self.aboutNodes(name))\n")
                }
                for gap in made.gaps {
                    StandardError.write("\n\(text(gap, settings))\n")
                }
            }
        }

        /// Citus opens connections between its nodes as the role that queries.
        private static func aboutNodes(_ name: String) -> String {
            """
            This is a Citus cluster: its nodes log in to each other as \(name), so every query fails \
            until they have the password. Add this line to .pgpass of the system user that runs \
            PostgreSQL, on the coordinator and on every worker, with the password in it:

              \(Analysts.passwordLine(of: name))
            """
        }

        private func text(_ gap: AnalystGap, _ settings: ConnectionSettings) -> String {
            switch gap {
            case .temporaryTables:
                """
                \(name) can fill the disk with temporary tables: PUBLIC has this right by default, \
                and it was not revoked, because others use or own this database. To revoke it, let \
                the owner run: REVOKE TEMPORARY ON DATABASE \(settings.database ?? "") FROM PUBLIC
                """
            case .largeObjects:
                """
                \(name) can make large objects: PUBLIC has this right by default, and others may \
                need it here. To revoke it, let a superuser revoke EXECUTE on lo_creat, lo_create \
                and lo_from_bytea from PUBLIC in this database.
                """
            case .temporaryFiles:
                """
                Its queries may write temporary files without a limit. A superuser sets a limit \
                with: ALTER ROLE \(name) SET temp_file_limit = '\(Analysts.temporaryFileLimit)'
                """
            }
        }

        /// - Parameter isClosed: whether the private cluster accepts no TCP connections.
        private func show(_ settings: ConnectionSettings, until end: Timestamp?, isClosed: Bool) {
            let until = end.map { "until \(Moments.text($0))" } ?? "until it is dropped"
            var text = """
                \(name): reads analytics, \(until). The password is not shown again.
                Connect with:

                  psql "\(settings.connectionStringWithoutPassword)"

                """
            if isClosed {
                text += """

                    This is the private cluster's socket: it admits only root and the server's \
                    user, without a password. To admit others, set SLUICE_SQL_PORT=0: then the \
                    cluster listens on 127.0.0.1.

                    """
            } else if let host = settings.host, !host.contains("/"), !host.contains(",") {
                let (place, database) = (
                    "\(host):\(settings.port ?? "5432")", settings.database ?? name
                )
                text += """

                    pandas   pandas.read_sql("select * from gps limit 10",
                                 "postgresql://\(name):PASSWORD@\(place)/\(database)")
                    Grafana  a PostgreSQL data source: host \(place), database \(database), user \(name)

                    """
            }
            StandardError.write(text)
        }
    }

    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the analyst roles of the whole database server.")

        @OptionGroup var table: TableOptions
        @OptionGroup var options: ConfigurationOptions

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let analysts = try Analysts.list(on: connection)
            let now = Date()
            table.show(
                ["NAME", "STATE", "CONNECTIONS"],
                analysts.map { analyst in
                    let state =
                        if !analyst.isWhole {
                            "incomplete: drop it, or create it again"
                        } else if let end = analyst.validUntil {
                            (Moments.date(end) <= now ? "expired " : "until ") + Moments.text(end)
                        } else {
                            "in force"
                        }
                    return [
                        analyst.name, state,
                        "\(analyst.connections) of \(Analysts.connectionsMax)",
                    ]
                })
        }
    }

    struct Drop: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop a role and end its sessions.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The role's name.")
        var name: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let left = try Analysts.drop(name, on: connection)
            print("dropped \(name)")
            if left > 0 { print("\(left) of its sessions go on: ask a superuser to end them") }
        }
    }
}
