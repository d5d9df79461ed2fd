import Foundation

/// One Sluice: a data directory and a port that stay the same when the process is replaced.
final class Node {
    let number: Int
    let port: Int
    let directory: String
    private var binary: String
    private let environment: [String: String]
    private let log: String
    private var child: Child?
    /// True from ``start()`` until the fault ends the process.
    private(set) var isMeantToRun = false

    static let startSecondsMax = 60.0
    private static let stopSecondsMax = 70.0

    init(
        number: Int, binary: String, directory: String, environment: [String: String]
    ) throws(ChaosFailure) {
        self.number = number
        self.binary = binary
        self.directory = directory
        log = directory + "/server.out"
        port = try NodeProbe.freePort()
        var environment = environment
        environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        environment["SLUICE_DATA_DIR"] = directory
        environment["SLUICE_HOST"] = "127.0.0.1"
        environment["SLUICE_PORT"] = String(port)
        environment["SLUICE_NODE"] = "node-\(number)"
        self.environment = environment
    }

    var probe: NodeProbe { NodeProbe(port: port) }
    var isRunning: Bool { child?.isRunning ?? false }

    /// Starts a process; does not wait until it is healthy.
    func start() throws(ChaosFailure) {
        precondition(!isRunning, "BUG: node \(number) runs")
        child = try Child([binary, "serve"], environment: environment, output: log)
        isMeantToRun = true
    }

    /// The next process runs that binary.
    func replaceBinary(_ path: String) { binary = path }

    /// Starts a process that must end by itself.
    ///
    /// - Returns: the end of its output.
    func startInVain() throws(ChaosFailure) -> String {
        try start()
        isMeantToRun = false
        if child?.awaitEnd(seconds: Self.startSecondsMax) == nil { child?.kill9() }
        return tail()
    }

    func signal(_ number: Int32) {
        child?.signal(number)
    }

    /// Runs a command of its binary with its settings.
    ///
    /// - Returns: the output.
    @discardableResult
    func command(_ words: [String]) throws(ChaosFailure) -> String {
        try Child.run(
            [binary] + words, log: directory + "/command.out", environment: environment)
    }

    /// Whether its spool is empty; to be asked while no process runs.
    var spoolIsEmpty: Bool {
        let said = try? command(["spool", "status"])
        return said?.contains("\n0 readings and 0 units of work are pending") ?? false
    }

    /// Kills it as the kernel's OOM killer would.
    func kill9() {
        isMeantToRun = false
        child?.kill9()
    }

    /// Sends SIGTERM, and waits for the end.
    ///
    /// - Returns: how it ended; nil when it had to be killed.
    @discardableResult
    func stop(seconds: Double = stopSecondsMax) -> Child.End? {
        isMeantToRun = false
        child?.signal(SIGTERM)
        let end = child?.awaitEnd(seconds: seconds)
        if end == nil { child?.kill9() }
        return end
    }

    /// How it ended, if it ended by itself.
    var unexpectedEnd: Child.End? {
        guard isMeantToRun, let child, !child.isRunning else { return nil }
        return child.end
    }

    /// Resident memory in bytes.
    var residentBytes: Int {
        guard let child else { return 0 }
        let fields = (try? String(contentsOfFile: "/proc/\(child.id)/statm", encoding: .utf8))?
            .split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
    }

    /// How often its processes said that they have read their configuration again.
    var reloads: Int {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            .components(separatedBy: "configuration reloaded").count - 1
    }

    /// Descriptors that it has open.
    var openFiles: Int {
        guard let child else { return 0 }
        return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.id)/fd"))?
            .count ?? 0
    }

    /// The end of its output.
    func tail(_ characters: Int = 3000) -> String {
        String(((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").suffix(characters))
    }
}
