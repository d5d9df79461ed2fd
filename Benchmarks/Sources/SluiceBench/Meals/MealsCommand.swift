import ArgumentParser
import Foundation

struct MealsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meals",
        abstract: "Meal logs: how soon their results are pushed.",
        discussion: """
            Starts a private Sluice and posts the golden set's sentences by a schedule that no answer slows down, while each user listens on a \
            WebSocket: the latency is from when a request should have left to its result on the \
            user's socket. Every log must be stored, have its result, and have it pushed once.

              sluice-bench meals --sluice ../.build/release/sluice
              sluice-bench meals --rate 400 --runs 1
            """)

    @Option(help: "The server's binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "Sentences a second.")
    var rate = 200.0

    @Option(help: "Users, each with one WebSocket.")
    var users = 50

    @Option(help: "Connections for requests.")
    var connections = 32

    @Option(help: "Seconds of each run.")
    var seconds = 10.0

    @Option(help: "Runs.")
    var runs = 3

    @Option(help: "Where result files go; none are written with an empty one.")
    var results = "Benchmarks/results"

    @Option(
        name: .customLong("setting"),
        help: "A setting of the server as KEY=value, for an experiment; may be given again.")
    var settings: [String] = []

    func validate() throws {
        guard rate > 0, rate <= 10_000, (1...2000).contains(users),
            (1...1000).contains(connections), seconds > 0, seconds <= 600, (1...99).contains(runs)
        else {
            throw ValidationError(
                "--rate is up to 10000, --users 1 to 2000, --connections 1 to 1000, --seconds up "
                    + "to 600, --runs 1 to 99.")
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
