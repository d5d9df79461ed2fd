import ArgumentParser
import SluiceService

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a configuration file with every key and its default, all commented out.")

    func run() {
        print(Settings.exampleFile, terminator: "")
    }
}
