public import Glibc

/// A child process that gets nothing of ours but what it is given here: no open file, no variable of
/// the environment, no blocked or ignored signal. It runs in a process group of its own, so that
/// Ctrl-C at the terminal does not end it half-way.
///
/// Its id stays its own until ``wait()`` or ``ended()`` has returned how it ended; only until then it
/// may be killed.
public struct ChildProcess: Sendable {
    /// Why there is no process, or none to wait for.
    public struct Failure: Error, Equatable, Sendable {
        /// What `posix_spawn(3)` or `waitpid(2)` said.
        public let errno: Int32
    }

    /// How a process ended.
    public enum End: Equatable, Sendable {
        /// With this status.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)

        /// As shells write it: 128 and more for a signal.
        public var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let signal): 128 + signal
            }
        }
    }

    /// The process and its group.
    public let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path; nothing is searched.
    ///   - words: its name, then its arguments.
    ///   - environment: `NAME=value`.
    ///   - input: becomes standard input; nil: there is nothing to read.
    ///   - output: becomes standard output; nil: what is written is lost.
    ///   - error: becomes standard error; nil: what is written is lost.
    public init(
        _ program: String, words: [String], environment: [String], input: Int32? = nil,
        output: Int32? = nil, error: Int32? = nil
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in zip(Int32(0)..., [input, output, error]) {
            if let file {
                posix_spawn_file_actions_adddup2(&actions, file, number)
            } else {
                let mode = number == 0 ? O_RDONLY : O_WRONLY
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
            }
        }
        guard let closeFrom = Self.closeFrom, closeFrom(&actions, 3) == 0 else {
            throw Failure(errno: ENOSYS)
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
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &actions, &attributes, &argv, &envp)
        guard failure == 0 else { throw Failure(errno: failure) }
        id = process
    }

    /// Ends it at once. Not after its end was waited for.
    public func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Blocks until it has ended.
    public func wait() throws(Failure) -> End {
        while true {
            if let end = try look(options: 0) { return end }
        }
    }

    /// - Returns: nil while it runs.
    public func ended() throws(Failure) -> End? { try look(options: WNOHANG) }

    private func look(options: Int32) throws(Failure) -> End? {
        var status: Int32 = 0
        let waited = waitpid(id, &status, options)
        guard waited == id else {
            guard waited == 0 || errno == EINTR else { throw Failure(errno: errno) }
            return nil
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// `posix_spawn_file_actions_addclosefrom_np`: in glibc since 2.34, in its headers for C programs
    /// with `_GNU_SOURCE` only. What a library opened without `O_CLOEXEC` is closed by it, too.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
}
