import ArgumentParser
import Fleet
import Oracle
import Load

struct RawCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw-copy",
        abstract: "libpq COPY BINARY of a fleet's rows into Sluice's tables, without Sluice.",
        discussion: """
            This is the limit for Sluice's committed rows/s. The rows stay in the database, so use \
            a database made for tests, after `sluice migrate`.
            """)

    @OptionGroup(title: "Fleet") var fleet: FleetOptions

    @Option(help: "The database, as a libpq connection string.")
    var database: String

    @Option(help: "Number of rows in the long COPY.")
    var readings = 2_000_000

    @Option(help: "Number of 1000-row transactions whose latency is measured.")
    var commits = 500

    func validate() throws {
        guard readings >= 10_000, readings <= 50_000_000, commits > 0 else {
            throw ValidationError("--readings must be 10000 to 50000000, and --commits positive.")
        }
    }

    func run() throws {
        let seed = fleet.seed ?? UInt64.random(in: 1...999_999_999)
        var profile = fleet.profile(seed: seed)
        profile.spelling = .plain
        profile.malformedPerMillion = 0
        let model = FleetModel(profile)
        let rows = RawRows(fleet: model, batch: fleet.batch, readings: readings)
        let copy = RawCopy(session: try Session(url: database))
        let span = model.days(readings: readings, batch: fleet.batch)
        try copy.makeDays(span.lowerBound, through: span.upperBound)
        let rate = try copy.long(rows)
        print("seed \(seed): \(rows.total) rows of \(fleet.devices) devices, one COPY per table")
        print("\(Figures.short(rate)) rows/s")
        profile.seed = seed &+ 1
        let others = RawRows(
            fleet: FleetModel(profile), batch: fleet.batch, readings: commits * 2200)
        let times = try copy.commits(others, times: commits).sorted()
        func at(_ part: Double) -> String {
            Figures.milliseconds(times[min(times.count - 1, Int(Double(times.count) * part))])
        }
        print(
            "COPY + COMMIT of 1000 rows: p50 \(at(0.5)), p90 \(at(0.9)), p99 \(at(0.99)), "
                + "max \(at(1))  (\(times.count) times)")
    }
}

extension FleetModel {
    /// The UTC days of that many readings of the whole fleet, clock skew included.
    func days(readings: Int, batch: Int) -> ClosedRange<Int32> {
        let perDevice = readings / devices.count + 2 * batch
        let range = devices.indices.map { device in
            (
                self.day(device: device, sequence: 0),
                self.day(device: device, sequence: perDevice)
            )
        }
        return (range.map(\.0).min() ?? 0)...(range.map(\.1).max() ?? 0)
    }
}
