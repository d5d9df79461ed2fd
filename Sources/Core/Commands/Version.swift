import ArgumentParser
import Server

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print version and commit.")

    func run() {
        print("sluice \(CoreCommands.release)")
    }
}
