import ArgumentParser
import Foundation

struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "One fleet for hours, with a fault now and then; nothing may grow.",
        discussion: """
            Starts PostgreSQL and two Sluices in a temporary directory. A fleet with every bad \
            habit sends for --hours or --minutes. Now and then, by seed, something happens: the \
            database is restarted or killed, the second Sluice is killed or stays away, all keys \
            are rotated, the configuration is reloaded, a day is sealed or archived, the clock \
            passes midnight. The first Sluice runs all the time.

            The time is cut into eight parts. In the last one the first Sluice's memory and \
            descriptors, the spools' files, the database's bytes for each reading and the \
            write-ahead log may not be more than in the second one, within the limits that the \
            report states. Then every row is read back. The exit status is 1 if something grew, if \
            a reading is lost, stored twice or invented, or if a Sluice ended by itself.

              sluice-bench soak --minutes 6
              sluice-bench soak --hours 8 --rate 100
            """)

    @Option(help: "Duration in hours; 1 without --minutes.")
    var hours: Double?

    @Option(help: "Duration in minutes.")
    var minutes: Double?

    @Option(
        help: "Mean seconds between faults; by default a fifteenth of the duration, at most 600.")
    var faultEvery: Double?

    @Option(help: "Seed of the fleet and of the faults, which is printed; random by default.")
    var seed: UInt64?

    @OptionGroup(title: "Server and load") var options: ChaosOptions

    func validate() throws {
        guard hours == nil || minutes == nil else {
            throw ValidationError("Use --hours or --minutes, not both.")
        }
        guard (60...1e6).contains(seconds), (faultEvery ?? 1) > 0 else {
            throw ValidationError(
                "The duration must be a minute to 277 hours, and --fault-every positive.")
        }
    }

    private var seconds: Double { minutes.map { $0 * 60 } ?? (hours ?? 1) * 3600 }

    func run() throws {
        Stopping.listen()
        let rig = try SoakRun.makeRig(binary: try options.binary(), settings: options.settings)
        defer { rig.remove() }
        try rig.start()
        let soak = SoakRun(
            rig: rig, options: options, seconds: seconds,
            faultSeconds: faultEvery ?? min(600, seconds / 15),
            seed: seed ?? UInt64.random(in: 1...999_999_999))
        guard try soak.run() else { throw ExitCode(1) }
    }
}
