public import ArgumentParser
public import Fleet
import Readings

/// The fleet and the readings that it sends.
public struct FleetOptions: ParsableArguments {
    /// The number of devices.
    @Option(help: "Number of devices.")
    public var devices = 1000

    @Option(
        name: .customLong("batch"),
        help: "Readings per batch. (default: 100, or the most that --format takes)")
    var chosenBatch: Int?

    /// Readings per batch.
    public var batch: Int { chosenBatch ?? min(100, format.readingsMax ?? 100) }

    /// The seed of the whole run; nil: random.
    @Option(help: "Seed of the whole run, which is printed; random by default.")
    public var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Form of the bodies: ingest, ndjson, overland, owntracks, otlp.",
            discussion: """
                Each goes to its own path, unless the URL has one. Overland and OwnTracks carry \
                positions, OTLP vitals; OwnTracks one a request. Bad habits of spelling need \
                ingest.
                """))
    var format = BodyFormat.ingest

    @Option(
        help: ArgumentHelp(
            "Percent of gps and vital readings, such as 50/40; the rest are events.",
            discussion: "Default: 50/40, or what --format can carry."))
    var mix: String?

    @Option(help: "Seconds between two readings of a device, by its clock.")
    var interval: Int64 = 5

    @Option(help: "Largest error of a device's clock, in seconds, fast or slow.")
    var skew: Int64 = 120

    @Option(
        help: ArgumentHelp(
            "Days before today at which the devices' clocks start.",
            discussion: "From then on they advance by --interval, independent of the real time."))
    var daysAgo: Int64 = 1

    @Flag(
        help: ArgumentHelp(
            "All spellings and all bad habits of clients at once.",
            discussion: """
                Mixed spelling; 1 % malformed readings and 1 % malformed batches; 5 % each of \
                re-sent, overlapping, doubled and late batches; 1 % backlogs; 2 % watch readings. \
                Other options override these values.
                """))
    var rough = false

    @Flag(help: "Use every spelling that the API accepts, not only the plain one.")
    var mixedSpelling = false

    @Option(help: "Percent of readings that are malformed.")
    var malformedReadings: Double?

    @Option(help: "Percent of readings that come from the device's watch.")
    var watch: Double?

    /// Parsed from the command line.
    public init() {}

    /// Rejects values that are out of bounds.
    public func validate() throws {
        guard (1...1_000_000).contains(devices), batch > 0, batch <= 100_000, interval > 0,
            skew >= 0
        else {
            throw ValidationError(
                "--devices must be 1 to 1000000, --batch 1 to 100000, --interval positive, --skew "
                    + "not negative.")
        }
        guard shares != nil else {
            throw ValidationError("--mix must be two percentages, such as 50/40.")
        }
        if let only = format.onlyShares, let shares, shares != only {
            throw ValidationError(
                "--format \(format.rawValue) needs --mix \(only.gps)/\(only.vital).")
        }
        guard batch <= format.readingsMax ?? .max else {
            throw ValidationError(
                "--format \(format.rawValue) needs --batch \(format.readingsMax ?? 1).")
        }
        guard
            format == .ingest
                || !rough && !mixedSpelling && malformedReadings ?? 0 == 0 && watch ?? 0 == 0
        else {
            throw ValidationError(
                "--rough, --mixed-spelling, --malformed-readings and --watch need --format ingest.")
        }
        guard (0...700).contains(daysAgo) else {
            throw ValidationError("--days-ago must be 0 to 700.")
        }
        try Self.demandPercents([
            ("--malformed-readings", malformedReadings), ("--watch", watch),
        ])
    }

    static func demandPercents(_ options: [(name: String, value: Double?)]) throws {
        for case (let name, let value?) in options where !(0...100).contains(value) {
            throw ValidationError("\(name) must be 0 to 100.")
        }
    }

    private var shares: (gps: Int, vital: Int)? {
        guard let mix else { return format.onlyShares ?? (50, 40) }
        let parts = mix.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ $0 >= 0 }), parts[0] + parts[1] <= 100 else {
            return nil
        }
        return (parts[0], parts[1])
    }

    /// The profile of the requested fleet.
    public func profile(seed: UInt64) -> FleetProfile {
        let today = Int64(Timestamp.now().day)
        let start = Timestamp(microseconds: (today - daysAgo) * Timestamp.microsecondsPerDay)
        var profile = rough ? FleetProfile.rough(start: start) : FleetProfile(start: start)
        profile.seed = seed
        profile.devices = devices
        profile.tickSeconds = interval
        profile.skewSecondsMax = skew
        if let shares { (profile.gpsPercent, profile.vitalPercent) = shares }
        if mixedSpelling { profile.spelling = .mixed }
        if let malformedReadings { profile.malformedPerMillion = Int(malformedReadings * 10_000) }
        if let watch { profile.watchPerMillion = Int(watch * 10_000) }
        return profile
    }
}

extension BodyFormat: ExpressibleByArgument {}
