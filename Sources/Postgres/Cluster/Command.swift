import Glibc

/// One run of a program of PostgreSQL's, waited for.
///
/// It runs in a process group of its own, so that Ctrl-C at the terminal does not hit it half-way,
/// with an environment that holds nothing of ours (`PGDATA`, `PGPORT`, …), and with its output in
/// a nameless file, which also daemons that it leaves behind may keep open. It has no other file
/// of ours: a server that outlives us would keep our clients' connections and our locks.
struct Command {
    let program: String
    let arguments: [String]
    /// Set when we are root and the program must not be.
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
        let output = try Files.makeNameless()
        defer { close(output) }
        let process = try spawn(output: output)
        let deadline = ContinuousClock.now + limit
        var status: Int32 = 0
        while true {
            let waited = waitpid(process, &status, WNOHANG)
            if waited == process { break }
            if waited < 0 && errno != EINTR {
                throw .fileFailed(path: program, operation: "wait for", errno: errno)
            }
            guard ContinuousClock.now < deadline else {
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                throw .commandTimedOut(program: program, limit: limit)
            }
            usleep(2000)
        }
        // Exited with a status, or ended by a signal.
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return (code, Self.tail(of: output))
    }

    private func spawn(output: Int32) throws(ClusterError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        guard let closeFrom = Self.closeFrom, closeFrom(&actions, 3) == 0 else {
            throw .fileFailed(path: program, operation: "run", errno: ENOSYS)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        // initdb and pg_ctl fail in a directory that their user can't enter.
        let words = ["/usr/bin/env", "--chdir=/"] + (user?.prefix ?? []) + [program] + arguments
        let environment = ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", "TZ=UTC"]
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, words[0], &actions, &attributes, &argv, &envp)
        guard failure == 0 else {
            throw .fileFailed(path: program, operation: "run", errno: failure)
        }
        return process
    }

    /// `posix_spawn_file_actions_addclosefrom_np`: in glibc since 2.34, in its headers for C programs
    /// with `_GNU_SOURCE` only. What a library opened without `O_CLOEXEC` is closed by it, too.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

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
