import ArgumentParser
import Foundation
import Postgres
import Server

/// PostgreSQL's psql with the given connection.
struct PsqlProgram {
    let settings: ConnectionSettings
    /// The directory of the private cluster's programs; nil: search PATH.
    let binDirectory: String?

    /// Replaces this process; throws on failure.
    func become(_ arguments: [String]) throws -> Never {
        setPassword()
        var argv = words(arguments).map { strdup($0) } + [nil]
        execvp(path, &argv)
        throw Self.complaint(errno)
    }

    /// Runs psql in the foreground.
    ///
    /// Ignores Ctrl-C, with which psql cancels a query: this process must outlive psql to stop the
    /// cluster that it started.
    /// - Returns: psql's exit status.
    func runAndWait(_ arguments: [String]) throws -> Int32 {
        setPassword()
        signal(SIGINT, SIG_IGN)
        signal(SIGQUIT, SIG_IGN)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGQUIT)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var argv = words(arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawnp(&process, path, nil, &attributes, &argv, environ)
        guard failure == 0 else {
            throw Self.complaint(failure)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private static func complaint(_ failure: Int32) -> ExitError {
        let cause =
            failure == ENOENT
            ? "not found in PATH: apt-get install postgresql-client"
            : String(cString: strerror(failure))
        return ExitError("psql: \(cause)", code: EX_UNAVAILABLE)
    }

    private var path: String {
        if let binDirectory, access("\(binDirectory)/psql", X_OK) == 0 {
            "\(binDirectory)/psql"
        } else {
            "psql"
        }
    }

    private func words(_ arguments: [String]) -> [String] {
        ["psql", "--dbname=\(settings.connectionStringWithoutPassword)"] + arguments
    }

    /// Uses the environment, because others can read a command line.
    private func setPassword() {
        if let password = settings.password { setenv("PGPASSWORD", password, 1) }
    }
}
