import ArgumentParser
import Foundation
import Server

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print all settings or the values in force, or check them.",
        discussion: """
            A setting comes from the command line (--set KEY=value), the environment or a file; \
            the first of these that contains it wins.

              sluice config > sluice.conf
              sluice config show --changed
              sluice config check
            """,
        subcommands: [ConfigExample.self, ConfigShow.self, ConfigCheck.self],
        defaultSubcommand: ConfigExample.self)
}
