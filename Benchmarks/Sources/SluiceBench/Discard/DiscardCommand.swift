import ArgumentParser
import Fleet
import Foundation
import Load

struct DiscardServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard-server",
        abstract: "The server of `discard`: prints its port and runs until standard input ends.",
        shouldDisplay: false)

    @Option(help: "Number of event loops.")
    var loops = ProcessInfo.processInfo.activeProcessorCount

    func run() throws {
        try DiscardServer.run(loops: loops) { port in
            print(port)
            fflush(nil)
        } untilClosed: {
            while readLine() != nil {}
        }
    }
}

struct DiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Requests per second of a bare NIO server that discards the bodies.",
        discussion: """
            This is the limit for Sluice's requests/s with small batches. The server runs in its \
            own process and receives the requests that `fleet` would send.
            """)

    @OptionGroup(title: "Pace") var pace: PaceOptions
    @OptionGroup(title: "Fleet") var fleet: FleetOptions

    func run() throws {
        let seed = fleet.seed ?? UInt64.random(in: 1...999_999_999)
        let server = try DiscardProcess()
        defer { server.stop() }
        let target = try Target(url: "http://127.0.0.1:\(server.port)/ingest")
        let workload = FleetWorkload(
            fleet: FleetModel(fleet.profile(seed: seed)),
            itinerary: WorkloadPlan(
                devices: fleet.devices, batch: fleet.batch, readings: pace.readingsMax,
                habits: Habits(), seed: seed))
        let report = LoadGenerator(
            plan: pace.plan(
                targets: [target],
                headLines: "Content-Type: application/json\r\nX-API-Key: none\r\n", seed: seed),
            workload: workload
        )
        .run()
        print(
            "\(Figures.short(Double(report.answers) / report.seconds)) requests/s, p50 "
                + Figures.milliseconds(milliseconds(report.accepted, at: 50)) + ", p99 "
                + Figures.milliseconds(milliseconds(report.accepted, at: 99))
                + String(
                    format: "; the generator used %.0f %% of one core",
                    Double(report.processorNanoseconds) / Double(report.elapsedNanoseconds) * 100))
    }
}

/// The discard server as a child process, which ends when its standard input is closed.
final class DiscardProcess {
    let port: Int
    private let process = Process()
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["discard-server"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw ValidationError("The discard server did not start: '\(line)'")
        }
        self.port = port
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
