import ArgumentParser
import Foundation

struct MealsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meals",
        abstract: "Meal logs: time from a request to the push of its result.",
        discussion: """
            Starts a private Sluice and posts the sentences of the golden set on a schedule that \
            answers do not slow down, while each user listens on a WebSocket. A latency is the \
            time from when a request was due to its result on the user's socket. Every log must \
            be stored and have a result, which must be pushed exactly once.

              sluice-bench meals --sluice ../.build/release/sluice
              sluice-bench meals --rate 400 --runs 1
            """)

    @Option(help: "The server binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "Sentences per second.")
    var rate = 200.0

    @Option(help: "Number of users, each with one WebSocket.")
    var users = 50

    @Option(help: "Number of connections for requests.")
    var connections = 32

    @Option(help: "Length of each run in seconds.")
    var seconds = 10.0

    @Option(help: "Number of runs.")
    var runs = 3

    @Option(help: "Directory for the result files; an empty string writes none.")
    var results = "Benchmarks/results"

    @Option(
        name: .customLong("setting"),
        help: "A server setting as KEY=value, for an experiment; can be repeated.")
    var settings: [String] = []

    func validate() throws {
        guard rate > 0, rate <= 10_000, (1...2000).contains(users),
            (1...1000).contains(connections), seconds > 0, seconds <= 600, (1...99).contains(runs)
        else {
            throw ValidationError(
                "--rate must be above 0 and at most 10000, --users 1 to 2000, --connections 1 to "
                    + "1000, --seconds above 0 and at most 600, --runs 1 to 99.")
        }
    }

    func run() throws {
        let machine = Machine()
        print(machine.line)
        let server = try ServerUnderTest(binary: sluice, settings: settings)
        defer { server.stop() }
        let goals = MealGoals(
            server: server, rate: rate, users: users, connections: connections,
            seconds: seconds, runs: runs, name: "b\(UInt32.random(in: .min ... .max))")
        let outcome = try goals.latencyRow()
        print(outcome.line)
        try GoalReport(machine: machine, outcomes: [outcome]).write(to: results, as: "meals")
    }
}
