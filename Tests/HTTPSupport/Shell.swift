import Foundation

/// Runs a program until it exits.
enum Shell {
    struct Failed: Error { let output: String }

    /// - Parameter input: the content of its standard input.
    /// - Returns: its exit status, and all that it wrote to its two outputs; invalid UTF-8 is
    ///   repaired.
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
