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
    @OptionGroup(title: "Habits") var habits: HabitOptions

    /// Parsed from the command line.
    public init() {}

    /// Why a run has no result.
    public enum Failure: Error, Equatable {
        /// A server's certificate is not trusted.
        case distrusted(reason: String)
        /// No request was answered.
        case noAnswer(connectionsRefused: Int)
        /// The result can't be written to this file.
        case fileUnwritable(String)
    }

    /// Makes the requested fleet, with a random seed unless one was given.
    public func makeFleet() -> FleetModel {
        FleetModel(fleet.profile(seed: fleet.seed ?? UInt64.random(in: 1...999_999_999)))
    }

    /// Runs, prints the result, and writes the requested files.
    ///
    /// - Parameter witness: is told of every batch, and returned in its final state.
    /// - Returns: the result, even if it crosses thresholds.
    public func run(
        _ model: FleetModel, witness: (any BatchObserver)? = nil
    ) throws -> (result: LoadResult, witness: (any BatchObserver)?) {
        raiseFileLimit()
        let targets = try target.resolve()
        let seed = model.profile.seed
        let plan = pace.plan(
            targets: targets, headLines: try target.headLines(for: targets),
            trust: try target.trust(for: targets), seed: seed)
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
            witness: witness, retries: !pace.noRetries)
        let startedAt = Date.now.formatted(.iso8601)
        let report = run(plan, workload)
        if let reason = report.distrust { throw Failure.distrusted(reason: reason) }
        var result = LoadResult(
            report, plan: plan, workload: workload, configuration: configuration,
            startedAt: startedAt)
        result.thresholds = output.threshold.map { $0.verdict(on: report, result) }
        output.show(RunTable(result: result).lines)
        try output.write(result)
        guard report.answers > 0 else {
            throw Failure.noAnswer(connectionsRefused: report.connectionsRefused)
        }
        return (result, workload.witness)
    }

    private func run(_ plan: LoadPlan, _ workload: FleetWorkload) -> LoadReport {
        let generator = LoadGenerator(plan: plan, workload: workload)
        let progress = ProgressLine(
            durationNanoseconds: plan.durationNanoseconds, readings: pace.readings)
        if !output.quiet {
            generator.onProgress = { elapsed, report in
                progress.update(
                    elapsed: elapsed, report: report, readings: workload.acknowledgedReadings)
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
            devices: fleet.devices, batch: fleet.batch, seed: seed)
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
        parts.append("\(devices) devices, batches of \(batch)")
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
