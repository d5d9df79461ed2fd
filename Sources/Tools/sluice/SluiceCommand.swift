import ArgumentParser
import Assembly
import Commands

/// `sluice`: prints its help without a subcommand.
@main
struct SluiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Takes telemetry over HTTP and stores it in PostgreSQL. A 200 means COMMIT.",
        discussion: """
            Start with: sluice serve
            It starts a private PostgreSQL under ./var unless SLUICE_DATABASE_URL names a
            server, and prints a curl command to try.
            """,
        version: CoreCommands.release,
        groupedSubcommands: [
            CommandGroup(
                name: "Server:",
                subcommands: CoreCommands.server + [
                    LoadCommand.self, CoreCommands.versionCommand,
                ]),
            CommandGroup(
                name: "Intake:",
                subcommands: CoreCommands.intake + [
                    JobsCommand.self, FoodsCommand.self, WordsCommand.self,
                ]),
            CommandGroup(name: "Stored data:", subcommands: CoreCommands.storedData),
        ])

    static func main() async {
        BuiltIn(apps: Product.apps, document: Product.document).choose()
        await CoreCommands.run(Self.self)
    }
}
