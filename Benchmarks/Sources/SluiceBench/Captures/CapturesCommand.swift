import ArgumentParser
import Foundation

struct CapturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Memory captures: acknowledgements, idle sockets, uploads.",
        discussion: """
            Starts a private Sluice for each row and measures it beside the raw limit, in turns: \
            captures over WebSockets beside the same commits by libpq in groups of the same size, \
            once by the same statement and once by INSERTs that check nothing (every row is read \
            back), resident memory before and after idle sockets are opened, and \
            uploads beside cp + fsync of the same files (some are fetched again and compared).

              sluice-bench captures --sluice ../.build/release/sluice
              sluice-bench captures --only rate --sockets 100 --pairs 2 --outstanding 1
            """)

    enum Row: String, CaseIterable, ExpressibleByArgument {
        case rate
        case idle
        case upload
    }

    @Option(help: "The server's binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "WebSockets.")
    var sockets = 1000

    @Option(
        parsing: .upToNextOption,
        help: """
            Captures under way on each; a row for each number. One: every phone waits for each \
            answer. Four: phones that empty a queue.
            """)
    var outstanding = [1, 4]

    @Option(help: "Seconds of each run.")
    var seconds = 4.0

    @Option(help: "Pairs of each row.")
    var pairs = 5

    @Option(help: "Only this row: rate, idle, upload.")
    var only: Row?

    @Option(help: "Files of an upload run.")
    var files = 64

    @Option(help: "Bytes of each file.")
    var fileBytes = 2 * 1024 * 1024

    @Option(help: "Uploads at once.")
    var uploaders = 4

    @Flag(
        help: """
            Let the server analyse captures while they are counted. Without it their jobs are \
            only queued, as on a node that leaves them to others.
            """)
    var analyse = false

    @Option(help: "Where result files go; none are written with an empty one.")
    var results = "Benchmarks/results"

    @Option(
        name: .customLong("setting"),
        help: "A setting of the server as KEY=value, for an experiment; may be given again.")
    var settings: [String] = []

    func validate() throws {
        guard (1...2000).contains(sockets), !outstanding.isEmpty,
            outstanding.allSatisfy((1...100).contains), seconds > 0,
            (1...99).contains(pairs), (1...10_000).contains(files),
            (1024...64 * 1024 * 1024).contains(fileBytes), (1...64).contains(uploaders)
        else {
            throw ValidationError(
                "--sockets is 1 to 2000, --outstanding 1 to 100, --pairs 1 to 99, --files 1 to "
                    + "10000, --file-bytes 1 KiB to 64 MiB, --uploaders 1 to 64.")
        }
    }

    func run() throws {
        let machine = Machine()
        print(machine.line)
        var outcomes: [GoalOutcome] = []
        for row in Row.allCases where only.map({ $0 == row }) ?? true {
            for outcome in try measure(row) {
                print(outcome.line)
                outcomes.append(outcome)
            }
        }
        try GoalReport(machine: machine, outcomes: outcomes).write(to: results, as: "captures")
    }

    private func measure(_ row: Row) throws -> [GoalOutcome] {
        let key = "app-\(UInt64.random(in: .min ... .max))"
        let work = analyse ? [] : ["SLUICE_JOBS_CONCURRENCY=0"]
        let server = try ServerUnderTest(
            binary: sluice, settings: ["SLUICE_APP_KEYS=\(key)"] + work + settings)
        defer { server.stop() }
        let name = "b\(UInt32.random(in: .min ... .max))"
        switch row {
        case .rate, .idle:
            let counts = row == .rate ? outstanding : [1]
            return try counts.flatMap { count in
                let goals = CaptureGoals(
                    server: server, sockets: sockets, outstanding: count, seconds: seconds,
                    pairs: pairs, key: key, name: "\(name)-\(count)", analyses: analyse)
                return row == .rate ? try goals.rateRows() : [try goals.idleRow()]
            }
        case .upload:
            let goal = UploadGoal(
                server: server, sizes: Array(repeating: fileBytes, count: files),
                uploaders: uploaders, copiers: [uploaders], pairs: pairs, key: key, name: name,
                title: "\(fileBytes / 1024) KiB")
            return Array(try goal.rows().prefix(1))
        }
    }
}
