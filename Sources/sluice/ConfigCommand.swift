import ArgumentParser
import SluiceService

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "What can be set, and what is in force.",
        discussion: """
            Each setting stands on the command line (--set KEY=value), in the environment or in a \
            file; the first of these that gives it wins.

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
        abstract: "Print every setting in force and who gives it; secrets are hidden.",
        discussion: """
            Reads what `sluice serve` would read from here: give it the same environment, --config, \
            --data-dir and --set.
            """)

    @Flag(help: "Only what is not the default.")
    var changed = false

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Configuration") var options: ConfigurationOptions

    func run() {
        let settings = Complaint.unlessDone {
            let sources = try options.sources()
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
