package import ArgumentParser
import CRelease
import Foundation
import Server

/// The commands of every program that has the core.
package enum CoreCommands {
    /// The version of the program; see `CHANGELOG.md`.
    package static let version = "1.0.0"
    /// The commit that this build was made from, shortened; nil if it is no release.
    package static var commit: String? {
        let text = String(cString: sluice_commit())
        return text.isEmpty ? nil : text
    }
    /// Version and commit, as `--version` prints them.
    package static var release: String {
        "\(version) (\(commit.map { "commit \($0)" } ?? "built from source"))"
    }

    /// Commands that run a server or watch one.
    package static var server: [any ParsableCommand.Type] {
        [Serve.self, Top.self, Health.self, DoctorCommand.self, ConfigCommand.self]
    }

    /// Commands for what is taken in.
    package static var intake: [any ParsableCommand.Type] {
        [Keys.self, DeviceCommand.self, Quarantine.self, UnitsCommand.self, Spool.self]
    }

    /// Commands for what is stored.
    package static var storedData: [any ParsableCommand.Type] {
        [
            Psql.self, AnalystCommand.self, ExportCommand.self, ImportCommand.self,
            MetricCommand.self, UserCommand.self, Migrate.self, RollupsCommand.self,
            DaysCommand.self,
            ArchiveCommand.self, ForgetCommand.self, EpochCommand.self,
        ]
    }

    /// The command that prints the version.
    package static var versionCommand: any ParsableCommand.Type { Version.self }

    /// Runs the command that the command line names, and ends the process with its exit code.
    ///
    /// - Parameter root: the program's command.
    package static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
        endIfMisspelt(root)
        do {
            var command = try Root.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch  where Root.exitCode(for: error) != .success {
            // The message may repeat the words of the command line.
            let message = Root.fullMessage(for: error)
            if !message.isEmpty { StandardError.write(message + "\n" + hint(on: message)) }
            Foundation.exit(Root.exitCode(for: error).rawValue)
        } catch {
            Root.exit(withError: error)
        }
    }

    /// What to do about a negative number, which looks like an option.
    private static func hint(on message: String) -> String {
        let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
        // Its place among the arguments is taken by the next one.
        let faults = ["Unknown option", "is invalid for '<", "Missing expected argument"]
        guard faults.contains(where: message.contains),
            let number = words.first(where: { $0.wholeMatch(of: /-[0-9]+/) != nil })
        else { return "" }
        return "A negative number needs `--` before it, behind all options: -- \(number)\n"
    }

    /// Ends the process with a suggestion if a word of the command line is no command but similar to
    /// one.
    private static func endIfMisspelt(_ root: any ParsableCommand.Type) {
        var command = root
        for word in CommandLine.arguments.dropFirst() {
            let names = command.configuration.subcommands.map { $0._commandName }
            guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let place = names.firstIndex(of: word) else {
                guard let nearest = Suggestion.nearest(to: word, among: names) else { return }
                ExitError("unknown command '\(word)'; did you mean \(nearest)?", code: EX_USAGE)
                    .end()
            }
            command = command.configuration.subcommands[place]
        }
    }
}
