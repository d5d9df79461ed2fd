import Glibc
import Processes

/// One run of a PostgreSQL program, until it ends.
///
/// It inherits no variable (`PGDATA`, `PGPORT`, …) and no open file: a server that outlives sluice
/// would keep clients' connections and locks open. Its output goes to a nameless file, which a
/// server that it starts may keep open.
struct Command {
    let program: String
    let arguments: [String]
    /// Set if sluice runs as root, because the program must not.
    let user: ServerUser?

    /// - Returns: the end of the output.
    /// - Throws: `.commandFailed` unless the status is 0; past `limit` it is killed.
    @discardableResult
    func run(limit: Duration) throws(ClusterError) -> String {
        let (status, output) = try runForStatus(limit: limit)
        guard status == 0 else {
            throw .commandFailed(program: program, status: status, output: output)
        }
        return output
    }

    func runForStatus(limit: Duration) throws(ClusterError) -> (status: Int32, output: String) {
        let output = try ClusterFiles.makeNameless()
        defer { close(output) }
        do throws(ChildProcess.Failure) {
            let process = try spawn(output: output)
            let deadline = ContinuousClock.now + limit
            while true {
                if let end = try process.ended() { return (end.status, Self.tail(of: output)) }
                guard ContinuousClock.now < deadline else { break }
                usleep(2000)
            }
            process.kill()
            _ = try process.wait()
        } catch {
            throw .fileFailed(path: program, operation: "run", errno: error.errno)
        }
        throw .commandTimedOut(program: program, limit: limit)
    }

    private func spawn(output: Int32) throws(ChildProcess.Failure) -> ChildProcess {
        // initdb and pg_ctl fail in a directory that their user can't enter.
        let words = ["/usr/bin/env", "--chdir=/"] + (user?.prefix ?? []) + [program] + arguments
        return try ChildProcess(
            words[0], words: words,
            environment: ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "TZ=UTC"],
            output: output, error: output)
    }

    /// The last 2000 bytes, without the line ends around them.
    private static func tail(of file: Int32) -> String {
        let size = Int(lseek(file, 0, SEEK_END))
        let start = max(0, size - 2000)
        var bytes = [UInt8](repeating: 0, count: max(0, size - start))
        let count = max(0, pread(file, &bytes, bytes.count, off_t(start)))
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).joined(separator: "\n")
    }
}
