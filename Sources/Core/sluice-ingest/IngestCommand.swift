import ArgumentParser
import Commands

/// `sluice-ingest`: the server with `/ingest` and the status page only, and its commands. It has no
/// app: what it is built of is the core, and that the core stands alone.
@main
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sluice-ingest",
        abstract: "Takes telemetry over HTTP and stores it in PostgreSQL. A 200 means COMMIT.",
        discussion: "sluice without the users' apps. Start with: sluice-ingest serve",
        version: CoreCommands.release,
        groupedSubcommands: [
            CommandGroup(
                name: "Server:",
                subcommands: CoreCommands.server + [CoreCommands.versionCommand]),
            CommandGroup(name: "Intake:", subcommands: CoreCommands.intake),
            CommandGroup(name: "Stored data:", subcommands: CoreCommands.storedData),
        ])

    static func main() async {
        await CoreCommands.run(Self.self)
    }
}
