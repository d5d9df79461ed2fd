import ArgumentParser
import Fleet
import Foundation
import Load

struct SpoolCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spool",
        abstract: "The spool compared with a bare write + fdatasync, and with LZ4 alone.",
        discussion: """
            Appends groups of about 1 MiB of a fleet's COPY tuples to a spool and syncs each group: \
            first with one record per group, then with one record per batch. For comparison, the \
            same compressed sizes are written and synced to preallocated files without a spool, \
            and the same payloads are compressed with LZ4 on one core. Everything except the \
            spool's own segments is made before the clock starts.
            """)

    @OptionGroup(title: "Fleet") var fleet: FleetOptions

    @Option(help: "Directory to write to, on the disk to be measured.")
    var directory = NSTemporaryDirectory()

    @Option(help: "Number of groups per side.")
    var groups = 128

    @Option(help: "How many times each side is measured.")
    var pairs = 9

    func validate() throws {
        guard (8...2048).contains(groups), (1...100).contains(pairs) else {
            throw ValidationError("--groups must be 8 to 2048, --pairs 1 to 100.")
        }
    }

    func run() throws {
        let seed = fleet.seed ?? UInt64.random(in: 1...999_999_999)
        var profile = fleet.profile(seed: seed)
        profile.spelling = .plain
        profile.malformedPerMillion = 0
        let model = FleetModel(profile)
        for recordsAreBatches in [false, true] {
            let load = SpoolLoad(
                model, batch: fleet.batch, groups: groups, recordsAreBatches: recordsAreBatches)
            let contest = try SpoolContest(load, directory: directory)
            defer { contest.clear() }
            try contest.checkContents()
            var rounds: [SpoolContest.Round] = []
            for number in 0..<pairs { rounds.append(try contest.round(number)) }
            print("seed \(seed): \(load.summary), LZ4 \(Self.text(contest.ratio)) : 1")
            Self.report(rounds, bytes: load.bytes)
        }
    }

    private static func report(_ rounds: [SpoolContest.Round], bytes: Int) {
        func rate(_ name: String, _ seconds: (SpoolContest.Round) -> Double) {
            let median = Figures.median(rounds.map { Double(bytes) / seconds($0) / 1e6 })
            print("  \(name): \(Int(median)) MB/s of payload")
        }
        func ratio(_ name: String, _ value: (SpoolContest.Round) -> Double) {
            let values = rounds.map(value)
            print(
                "  \(name): \(text(Figures.median(values))) "
                    + "(\(text(values.min() ?? .nan)) – \(text(values.max() ?? .nan)))")
        }
        rate("write + fdatasync alone", \.raw)
        rate("LZ4 alone, one core", \.compression)
        rate("spool, one thread", \.spool)
        ratio("spool, one thread ÷ write + fdatasync", { $0.raw / $0.spool })
        ratio("spool, one thread ÷ LZ4", { $0.compression / $0.spool })
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}
