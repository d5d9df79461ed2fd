import ArgumentParser
import Foundation
import SluiceService

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print all settings, or the values in force.",
        discussion: """
            A setting comes from the command line (--set KEY=value), the environment or a file; \
            the first of these that contains it wins.

              sluice config > sluice.conf
              sluice config show --changed
            """,
        subcommands: [ConfigExample.self, ConfigShow.self], defaultSubcommand: ConfigExample.self)
}

struct ConfigExample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example",
        abstract: "Print a configuration file with every key and its default, all commented out.")

    func run() {
        print(Settings.exampleFile, terminator: "")
    }
}

struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the value and the source of every setting; secrets are hidden.",
        discussion: """
            Prints what `sluice serve` would use with the same environment, --config, --data-dir \
            and --set.
            """)

    @Flag(help: "Print only settings that differ from their defaults.")
    var changed = false

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Configuration") var options: ConfigurationOptions

    func run() {
        let settings = Complaint.unlessDone {
            let sources = try options.sources()
            for (key, fault) in sources.unknownEnvironmentKeys {
                FileHandle.standardError.write(Data("sluice: \(key): \(fault)\n".utf8))
            }
            do throws(ConfigurationProblems) {
                return try sources.inForce()
            } catch {
                throw StartFailure.configuration(error)
            }
        }
        table.show(
            ["SETTING", "VALUE", "FROM"],
            settings.filter { !changed || $0.origin != .byDefault }.map {
                [$0.setting.key, $0.text, Self.text($0.origin)]
            })
    }

    private static func text(_ origin: ConfigurationSources.Origin) -> String {
        switch origin {
        case .commandLine: "command line"
        case .environment: "environment"
        case .file(let path): path
        case .byDefault: "default"
        }
    }
}
