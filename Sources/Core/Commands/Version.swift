import ArgumentParser
import Server

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() {
        print("sluice \(CoreCommands.version)")
    }
}
