import ArgumentParser
import Media
import SluiceService

/// `sluice`: without a verb it shows its help.
@main
struct SluiceCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Takes telemetry over HTTP into PostgreSQL. A 200 means COMMIT.",
        discussion: """
            Start with: sluice serve
            It starts a private PostgreSQL under ./var unless DATABASE_URL names a
            server, and prints a curl to try.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Server:",
                subcommands: [
                    Serve.self, Top.self, Health.self, DoctorCommand.self, Config.self,
                    Version.self,
                ]),
            CommandGroup(
                name: "What comes in:",
                subcommands: [
                    Keys.self, Quarantine.self, UnitsCommand.self, Spool.self, JobsCommand.self,
                    FoodsCommand.self,
                ]),
            CommandGroup(
                name: "What is stored:",
                subcommands: [
                    Psql.self, AnalystCommand.self, ExportCommand.self, Migrate.self,
                    RollupsCommand.self, ArchiveCommand.self, ForgetCommand.self, EraCommand.self,
                ]),
        ])

    static func main() async {
        // `sluice inspect ORDER`: the server starts it, for each picture, and nobody else. It need not
        // know the other commands first.
        let words = CommandLine.arguments
        if words.count == 3, words[1] == "inspect" { Inspection.run(words[2]) }
        await main(nil)
    }
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() {
        print("sluice \(SluiceCommand.version)")
    }
}

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a configuration file with every key and its default, all commented out.")

    func run() {
        print(Settings.exampleFile, terminator: "")
    }
}
