import ArgumentParser
import Server

struct ConfigExample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example",
        abstract: "Print a configuration file with every key and its default, all commented out.")

    func run() {
        print(Settings(apps: BuiltIn.apps).exampleFile, terminator: "")
    }
}
