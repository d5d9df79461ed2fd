import ArgumentParser
import Server

struct ConfigCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check all settings; print nothing if they are valid.",
        discussion: """
            Prints every problem with its setting, and for one in a file its line. Exit codes: 0 \
            the settings are valid, 64 they are not. `systemctl reload sluice` runs it first.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() {
        ExitError.unlessDone {
            let sources = try options.sources()
            for (key, fault) in sources.unknownEnvironmentKeys + sources.formerKeys {
                StandardError.write("sluice: \(key): \(fault)\n")
            }
            _ = try sources.configuration()
        }
    }
}
