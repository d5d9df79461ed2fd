public import ArgumentParser
public import Fleet
import Foundation
import Glibc
import Synchronization

/// All options of the load generator.
public struct LoadOptions: ParsableArguments {
    @OptionGroup(title: "Target") var target: TargetOptions
    @OptionGroup(title: "Pace") var pace: PaceOptions
    @OptionGroup(title: "Result") var output: OutputOptions
    @OptionGroup(title: "Fleet") var fleet: FleetOptions
    @OptionGroup(title: "Body") var body: BodyOptions
    @OptionGroup(title: "Habits") var habits: HabitOptions

    /// Parsed from the command line.
    public init() {}

    /// Why a run has no result.
    public enum Failure: Error, Equatable {
        /// A server's certificate is not trusted.
        case distrusted(reason: String)
        /// No request was answered.
        case noAnswer(connectionsRefused: Int)
        /// No reading was accepted.
        ///
        /// - Parameter statuses: the number of answers with each.
        case nothingAccepted(statuses: [Int: Int])
        /// All readings were quarantined.
        ///
        /// - Parameter reason: of one of them, if an answer has named it.
        case nothingStored(quarantined: Int, reason: String?)
        /// The result can't be written to this file.
        case fileUnwritable(String)
    }

    /// Rejects options that contradict each other.
    public func validate() throws {
        let format = fleet.format
        guard format == .ingest || habits.malformedBatches ?? 0 == 0 else {
            throw ValidationError("--malformed-batches needs --format ingest.")
        }
        guard format.readingsMax == nil || habits.keepBatches else {
            throw ValidationError(
                "--format \(format.rawValue) can't be used with --overlapping and --backlogs.")
        }
        guard body.body == nil || pace.readings == nil else {
            throw ValidationError("--readings needs a fleet; remove --body or use --duration.")
        }
    }

    /// Whether a run can be checked in the database: whether its readings become the rows that the
    /// fleet computes.
    public var canBeVerified: Bool { body.body == nil }

    /// The name with which all vital readings are sent in place of their codes; nil: with codes.
    public var metric: String? { fleet.format.metric }

    /// Makes the requested fleet, with a random seed unless one was given.
    public func makeFleet() -> FleetModel {
        FleetModel(fleet.profile(seed: fleet.seed ?? UInt64.random(in: 1...999_999_999)))
    }

    /// Runs, prints the result, and writes the requested files.
    ///
    /// - Parameters:
    ///   - witness: is told of every batch, and returned in its final state.
    ///   - localKey: the key of the server of this machine. It is asked for if no key was given, and
    ///     only for servers on this machine.
    /// - Returns: the result, even if it crosses thresholds.
    public func run(
        _ model: FleetModel, witness: (any BatchObserver)? = nil,
        localKey: () -> String? = { nil }
    ) throws -> (result: LoadResult, witness: (any BatchObserver)?) {
        raiseFileLimit()
        let targets = try target.resolve(path: fleet.format.path)
        let seed = model.profile.seed
        let plan = pace.plan(
            targets: targets,
            headLines: try target.headLines(
                for: targets, contentType: body.contentType ?? fleet.format.contentType,
                localKey: localKey),
            trust: try target.trust(for: targets), seed: seed)
        let before = try output.readBaseline()
        let file = try body.read().map { FileWorkload(body: $0, retries: !pace.noRetries) }
        try output.checkFiles()
        let configuration = configuration(plan, seed: seed)
        output.show([
            "\(targets.map(\.url).joined(separator: ", "))",
            "\(configuration.summary), seed \(seed)",
        ])
        let workload = FleetWorkload(
            fleet: model,
            itinerary: WorkloadPlan(
                devices: fleet.devices, batch: fleet.batch, readings: pace.readingsMax,
                habits: habits.habits(rough: fleet.rough), seed: seed),
            format: fleet.format, witness: witness, retries: !pace.noRetries)
        let startedAt = Date.now.formatted(.iso8601)
        let report = run(plan, file ?? workload) {
            file?.tally.acknowledgedReadings ?? workload.acknowledgedReadings
        }
        let tally = file?.tally ?? workload.tally
        if let reason = report.distrust { throw Failure.distrusted(reason: reason) }
        var result = LoadResult(
            report, plan: plan, tally: tally, configuration: configuration,
            startedAt: startedAt)
        result.thresholds = output.threshold.map { $0.verdict(on: report, result) }
        result.baseline = before.map {
            Baseline(before: $0, now: result, tolerance: output.tolerance / 100)
        }
        output.show(RunTable(result: result).lines)
        try output.write(result)
        guard report.answers > 0 else {
            throw Failure.noAnswer(connectionsRefused: report.connectionsRefused)
        }
        // Answers to what was malformed on purpose are what was asked for.
        guard
            report.acceptedCount > tally.unreadableAnswers
                || report.answers == tally.expectedRefusals
        else { throw Failure.nothingAccepted(statuses: report.statuses) }
        // The same is true of readings.
        if tally.isOnlyQuarantined, model.profile.malformedPerMillion < 1_000_000 {
            throw Failure.nothingStored(
                quarantined: tally.totals.quarantined, reason: tally.quarantineReason)
        }
        return (result, workload.witness)
    }

    /// Prints lines where the result is printed.
    public func show(_ lines: [String]) {
        output.show(lines)
    }

    private func run(
        _ plan: LoadPlan, _ workload: any Workload, acknowledgedReadings: @escaping () -> Int
    ) -> LoadReport {
        let generator = LoadGenerator(plan: plan, workload: workload)
        let progress = ProgressLine(
            durationNanoseconds: plan.durationNanoseconds, readings: pace.readings)
        if !output.quiet {
            generator.onProgress = { elapsed, report in
                progress.update(
                    elapsed: elapsed, report: report, readings: acknowledgedReadings())
            }
        }
        Interruption.watch()
        generator.shouldEnd = { Interruption.isAsked.load(ordering: .relaxed) }
        let report = generator.run()
        progress.finish()
        return report
    }

    private func configuration(_ plan: LoadPlan, seed: UInt64) -> LoadResult.Configuration {
        LoadResult.Configuration(
            mode: plan.pace == .closed ? "closed loop" : "open loop",
            connections: plan.connections, outstanding: plan.outstanding,
            requestsPerSecond: pace.stages == nil ? pace.rate : pace.rate ?? 0,
            stages: pace.stages?.stages.map {
                .init(seconds: $0.seconds, requestsPerSecond: $0.requestsPerSecond)
            },
            arrival: plan.pace == .closed ? nil : pace.arrival.rawValue,
            durationSeconds: pace.seconds, timeoutSeconds: pace.timeout.seconds,
            devices: fleet.devices, batch: fleet.batch, seed: seed,
            bodies: body.body.map { "file " + $0 }
                ?? (fleet.format == .ingest ? nil : fleet.format.rawValue))
    }
}

extension LoadResult.Configuration {
    /// The configuration in one line.
    var summary: String {
        var parts = ["\(mode), \(connections) connections"]
        if let stages {
            let list = stages.map {
                "\(TimeSpan(seconds: $0.seconds)):\(Figures.short($0.requestsPerSecond))"
            }
            parts.append("stages \(list.joined(separator: ",")) requests/s")
        } else if let requestsPerSecond {
            parts.append("\(Figures.short(requestsPerSecond)) requests/s (\(arrival ?? "even"))")
        }
        parts.append("\(TimeSpan(seconds: durationSeconds))")
        parts.append(
            bodies?.hasPrefix("file ") == true
                ? bodies ?? "" : "\(devices) devices, batches of \(batch)")
        if let bodies, !bodies.hasPrefix("file ") { parts.append("as " + bodies) }
        return parts.joined(separator: ", ")
    }
}

/// Ctrl-C ends a run as if its time were over, so its result is not lost. A second one ends the
/// process.
private enum Interruption {
    static let isAsked = Atomic(false)

    static func watch() {
        isAsked.store(false, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            Interruption.isAsked.store(true, ordering: .relaxed)
        }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, nil)
    }
}
