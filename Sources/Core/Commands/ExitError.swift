import Foundation
import Instruments
package import OperatorErrors
import Status

/// A failure as the command line says it: a message and an exit code.
package struct ExitError: Error, CustomStringConvertible {
    /// What the operator is told, without the program's name.
    package let description: String
    let code: Int32

    /// - Parameter code: of the process.
    package init(_ description: String, code: Int32) {
        self.description = description
        self.code = code
    }

    /// - Parameter place: a path or an address that the message begins with.
    package init(_ error: any OperatorError, at place: String? = nil) {
        self.init((place.map { "\($0): " } ?? "") + error.operatorText, code: error.exitCode)
    }

    /// The only one of the rows that an id selects.
    ///
    /// - Parameter noun: what a row is, for the message if there is none or more than one.
    static func unlessOne<Row>(_ rows: [Row], _ noun: String) throws(ExitError) -> Row {
        guard let row = rows.first else {
            throw ExitError("no \(noun) matches", code: EX_DATAERR)
        }
        guard rows.count == 1 else {
            throw ExitError(
                "more than one \(noun) matches; give more digits of the id", code: EX_DATAERR)
        }
        return row
    }

    /// Runs a command's work; a failure ends the process with a message.
    package static func unlessDone<Value>(_ work: () throws -> Value) -> Value {
        do {
            return try work()
        } catch let error as ExitError {
            error.end()
        } catch let error as any OperatorError {
            ExitError(error).end()
        } catch {
            ExitError("\(error)", code: EX_SOFTWARE).end()
        }
    }

    /// Prints the message and ends the process.
    package func end() -> Never {
        let priority =
            JournalStream.isBehind(
                STDERR_FILENO, environment: ProcessInfo.processInfo.environment) ? "<3>" : ""
        for line in description.split(separator: "\n") {
            LineLogHandler.writeToStandardError(
                "\(priority)sluice: \(TerminalText.safe(String(line)))\n")
        }
        Foundation.exit(code)
    }
}
