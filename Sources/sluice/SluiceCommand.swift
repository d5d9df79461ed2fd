import ArgumentParser
import Foundation
import SluiceService

/// `sluice`: prints its help without a subcommand.
@main
struct SluiceCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "sluice",
        abstract: "Takes telemetry over HTTP and stores it in PostgreSQL. A 200 means COMMIT.",
        discussion: """
            Start with: sluice serve
            It starts a private PostgreSQL under ./var unless DATABASE_URL names a
            server, and prints a curl command to try.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Server:",
                subcommands: [
                    Serve.self, Top.self, Health.self, DoctorCommand.self, ConfigCommand.self,
                    LoadCommand.self, Version.self,
                ]),
            CommandGroup(
                name: "Intake:",
                subcommands: [
                    Keys.self, DeviceCommand.self, Quarantine.self, UnitsCommand.self, Spool.self,
                    JobsCommand.self,
                    FoodsCommand.self, WordsCommand.self,
                ]),
            CommandGroup(
                name: "Stored data:",
                subcommands: [
                    Psql.self, AnalystCommand.self, ExportCommand.self, Migrate.self,
                    RollupsCommand.self, ArchiveCommand.self, ForgetCommand.self, EraCommand.self,
                ]),
        ])

    static func main() async {
        if let complaint = complaint(of: CommandLine.arguments.dropFirst()) { complaint.end() }
        await main(nil)
    }

    /// Suggests a command for an unknown word; nil if none is similar.
    private static func complaint(of words: ArraySlice<String>) -> Complaint? {
        var command: any ParsableCommand.Type = Self.self
        for word in words {
            let names = command.configuration.subcommands.map { $0._commandName }
            guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let place = names.firstIndex(of: word) else {
                return Likeness.nearest(to: word, among: names).map {
                    Complaint("unknown command '\(word)'; did you mean \($0)?", code: EX_USAGE)
                }
            }
            command = command.configuration.subcommands[place]
        }
        return nil
    }
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() {
        print("sluice \(SluiceCommand.version)")
    }
}
