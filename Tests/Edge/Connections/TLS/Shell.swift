import Foundation

/// Runs a program to its end.
enum Shell {
    struct Failed: Error { let output: String }

    /// - Parameter input: what it reads from its standard input, which ends then.
    /// - Returns: what it wrote to both its outputs; what is no UTF-8 of it is repaired.
    static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = []
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        try? stdin.fileHandleForWriting.write(contentsOf: Data(input))
        try? stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
