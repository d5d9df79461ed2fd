import Foundation
import Postgres
import TestSupport

/// Runs psql on a database of the tests.
struct Psql {
    struct Outcome {
        let status: Int32
        let out: String
        let err: String
    }

    /// Names the role, too.
    let settings: ConnectionSettings

    /// - Parameter input: the standard input; nil: there is none.
    func run(_ arguments: [String], input: String? = nil) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: TestCluster.shared.server.binDirectory + "/psql")
        process.arguments =
            ["--no-psqlrc", "--dbname=\(settings.connectionStringWithoutPassword)"]
            + ["-v", "ON_ERROR_STOP=1", "-P", "border=1"] + arguments
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        process.standardInput = FileHandle.nullDevice
        if let input {
            // Small enough for a pipe's buffer.
            precondition(input.utf8.count < 16_384, "BUG: a long input")
            let pipe = Pipe()
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
            process.standardInput = pipe
        }
        try process.run()
        let text = out.fileHandleForReading.readDataToEndOfFile()
        let errors = err.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, out: String(decoding: text, as: UTF8.self),
            err: String(decoding: errors, as: UTF8.self))
    }
}
