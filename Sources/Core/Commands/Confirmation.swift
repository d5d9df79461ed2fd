import ArgumentParser
import Foundation
import Readings
import Server
import Status
import Synchronization

/// Asks before something is removed for good.
struct Confirmation: ParsableArguments {
    @Flag(help: "Change nothing; print what would be affected.")
    var dryRun = false
    @Flag(name: .shortAndLong, help: "Don't ask for confirmation.")
    var yes = false

    /// - Parameters:
    ///   - question: names the action.
    ///   - show: prints what the action concerns.
    /// - Throws: a complaint if the answer is no, or standard input is not a terminal.
    func demand(_ question: String, show: () throws -> Void) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ExitError(
                "can't ask for confirmation without a terminal: give --yes, or --dry-run",
                code: EX_USAGE)
        }
        try show()
        print("\(question) Type yes: ", terminator: "")
        fflush(nil)
        guard readLine() == "yes" else { throw ExitError("nothing was changed", code: 1) }
    }
}
