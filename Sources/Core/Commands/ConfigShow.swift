import ArgumentParser
import Foundation
import Server

struct ConfigShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the value and the source of every setting; secrets are hidden.",
        discussion: """
            Prints what `sluice serve` would use with the same environment, --config, --data-dir \
            and --set.
            """)

    @Argument(help: "Print only the value of this setting, for scripts.")
    var key: String?

    @Flag(help: "Print only settings that differ from their defaults.")
    var changed = false

    @OptionGroup var table: TableOptions
    @OptionGroup(title: "Configuration") var options: ConfigurationOptions

    func run() {
        let settings = ExitError.unlessDone {
            let sources = try options.sources()
            for (key, fault) in sources.unknownEnvironmentKeys + sources.formerKeys {
                StandardError.write("sluice: \(key): \(fault)\n")
            }
            do throws(ConfigurationProblems) {
                return try sources.inForce()
            } catch {
                throw StartFailure.configuration(error)
            }
        }
        if let key {
            guard let found = settings.first(where: { $0.setting.key == key }) else {
                ExitError("there is no setting \(key)", code: EX_USAGE).end()
            }
            return print(found.text)
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
        case .credentials: "credentials"
        case .file(let path): path
        case .byDefault: "default"
        }
    }
}
