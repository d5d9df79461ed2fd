import Foundation

/// A child process. It has its own process group, so that Ctrl-C does not reach it. It inherits
/// none of our files, because an inherited socket would stay open after we close it.
///
/// Used on the runner's thread only.
final class Child {
    enum End: Equatable, CustomStringConvertible {
        case exited(Int32)
        case killed(signal: Int32)

        var description: String {
            switch self {
            case .exited(let status): "status \(status)"
            case .killed(let signal): "signal \(signal)"
            }
        }
    }

    /// No file descriptor of ours is greater.
    private static let filesMax: Int32 = 4096

    let id: pid_t
    private(set) var end: End?

    /// - Parameters:
    ///   - words: the program's path, then its arguments.
    ///   - output: standard output and error are appended to it.
    init(
        _ words: [String], environment: [String: String], output: String
    ) throws(ChaosFailure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Closing a file that is not open is no error.
        for file in 3..<Self.filesMax { posix_spawn_file_actions_addclose(&actions, file) }

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
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, words[0], &actions, &attributes, &argv, &envp)
        guard failure == 0 else { throw .systemCallFailed("run \(words[0])", errno: failure) }
        id = process
    }

    var isRunning: Bool {
        reap(WNOHANG)
        return end == nil
    }

    func signal(_ number: Int32) {
        guard isRunning else { return }
        kill(id, number)
    }

    /// - Returns: how it ended; nil if it still runs after that time.
    func awaitEnd(seconds: Double) -> End? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while isRunning, Date() < deadline { usleep(2000) }
        return end
    }

    /// Kills it.
    func kill9() {
        signal(SIGKILL)
        reap(0)
    }

    private func reap(_ options: Int32) {
        guard end == nil else { return }
        var status: Int32 = 0
        guard waitpid(id, &status, options) == id else { return }
        end = status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: status & 0x7F)
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its output.
    @discardableResult
    static func run(
        _ words: [String], seconds: Double = 60, log: String, environment: [String: String] = [:]
    ) throws(ChaosFailure) -> String {
        unlink(log)
        let child = try Child(
            words,
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"]
                .merging(environment) { $1 },
            output: log)
        let end = child.awaitEnd(seconds: seconds)
        if end == nil { child.kill9() }
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        guard end == .exited(0) else {
            throw .commandFailed(
                program: words.joined(separator: " "),
                status: end.map(\.description) ?? "still running after \(seconds) s",
                output: String(said.suffix(2000)))
        }
        return said
    }
}
