public import Glibc

/// A child process that inherits only what is passed here: no other open file, no environment
/// variable, no blocked or ignored signal. It runs in its own process group, so that Ctrl-C at the
/// terminal does not end it half-way.
///
/// The kernel may reuse the id once ``wait()`` or ``ended()`` has returned how the process ended;
/// from then on it must not be killed.
public struct ChildProcess: Sendable {
    /// Why there is no process, or none to wait for.
    public struct Failure: Error, Equatable, Sendable {
        /// The error of `posix_spawn(3)` or `waitpid(2)`.
        public let errno: Int32
    }

    /// How a process ended.
    public enum End: Equatable, Sendable {
        /// With this status.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)

        /// As shells report it: 128 plus the number of a signal.
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
    ///   - program: its path; PATH is not searched.
    ///   - words: its name, then its arguments.
    ///   - environment: `NAME=value`.
    ///   - input: becomes standard input; nil: there is nothing to read.
    ///   - output: becomes standard output; nil: the output is discarded.
    ///   - error: becomes standard error; nil: the output is discarded.
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

    /// Kills it. Must not be called after its end was returned.
    public func kill() { _ = Glibc.kill(id, SIGKILL) }

    /// Blocks until it has ended.
    public func wait() throws(Failure) -> End { try waitMeasured().end }

    /// Blocks until it has ended.
    ///
    /// - Returns: also the processor time of it and of the children that it has waited for.
    public func waitMeasured() throws(Failure) -> (end: End, processorTime: Duration) {
        while true {
            var usage = rusage()
            guard let end = try look(options: 0, &usage) else { continue }
            let times = [usage.ru_utime, usage.ru_stime]
            return (
                end,
                times.reduce(.zero) {
                    $0 + .seconds($1.tv_sec) + .microseconds(Int64($1.tv_usec))
                }
            )
        }
    }

    /// - Returns: nil while it runs.
    public func ended() throws(Failure) -> End? {
        var usage = rusage()
        return try look(options: WNOHANG, &usage)
    }

    private func look(options: Int32, _ usage: inout rusage) throws(Failure) -> End? {
        var status: Int32 = 0
        let waited = wait4(id, &status, options, &usage)
        guard waited == id else {
            guard waited == 0 || errno == EINTR else { throw Failure(errno: errno) }
            return nil
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    /// `posix_spawn_file_actions_addclosefrom_np`: in glibc since 2.34, declared for C programs
    /// with `_GNU_SOURCE` only. It also closes files that a library opened without `O_CLOEXEC`.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }
    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
}
