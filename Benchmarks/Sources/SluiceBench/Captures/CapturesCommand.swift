import ArgumentParser
import Foundation

struct CapturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "Memory captures: acknowledgements per second, idle sockets and uploads.",
        discussion: """
            Starts a private Sluice for each row and compares it with a raw limit, one after the \
            other.

              rate    captures over WebSockets against the same commits by libpq, in groups
                      of the same size, with the same statement and with INSERTs that check
                      nothing; every row is read back
              idle    resident memory before and after idle sockets are opened
              upload  uploads against cp + fsync of the same files; some files are
                      downloaded and compared

              sluice-bench captures --sluice ../.build/release/sluice
              sluice-bench captures --only rate --sockets 100 --pairs 2 --outstanding 1
            """)

    enum Row: String, CaseIterable, ExpressibleByArgument {
        case rate
        case idle
        case upload
    }

    @Option(help: "The server binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "Number of WebSockets.")
    var sockets = 1000

    @Option(
        parsing: .upToNextOption,
        help: """
            Unanswered captures per socket; each number gives a row. With 1, a phone waits for \
            each answer. With 4, a phone sends the captures that it has queued.
            """)
    var outstanding = [1, 4]

    @Option(help: "Length of each run in seconds.")
    var seconds = 4.0

    @Option(help: "Number of pairs for each row.")
    var pairs = 5

    @Option(help: "Measure only this row: rate, idle or upload.")
    var only: Row?

    @Option(help: "Number of files in an upload run.")
    var files = 64

    @Option(help: "Size of each file in bytes.")
    var fileBytes = 2 * 1024 * 1024

    @Option(help: "Number of parallel uploads.")
    var uploaders = 4

    @Flag(
        help: """
            Let the server analyse captures during the measurement. Otherwise their jobs are only \
            queued, as on a node that runs no jobs.
            """)
    var analyse = false

    @Option(help: "Directory for the result files; an empty string writes none.")
    var results = "Benchmarks/results"

    @Option(
        name: .customLong("setting"),
        help: "A server setting as KEY=value, for an experiment; can be repeated.")
    var settings: [String] = []

    func validate() throws {
        guard (1...2000).contains(sockets), !outstanding.isEmpty,
            outstanding.allSatisfy((1...100).contains), seconds > 0,
            (1...99).contains(pairs), (1...10_000).contains(files),
            (1024...64 * 1024 * 1024).contains(fileBytes), (1...64).contains(uploaders)
        else {
            throw ValidationError(
                "--sockets must be 1 to 2000, --outstanding 1 to 100, --seconds positive, --pairs "
                    + "1 to 99, --files 1 to 10000, --file-bytes 1024 to 67108864, --uploaders 1 to "
                    + "64.")
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
