import ArgumentParser
import Foundation
import Server

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
