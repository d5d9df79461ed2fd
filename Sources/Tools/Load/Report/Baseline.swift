import Foundation

/// A run beside an earlier one.
struct Baseline: Codable, Sendable, Equatable {
    /// A figure of both runs.
    struct Figure: Codable, Sendable, Equatable {
        var name: String
        var before: Double
        var now: Double
        /// Worse by more than the tolerance.
        var isWorse: Bool
        /// Both values and the change, for people.
        var text: String
    }

    /// Why there is no baseline.
    enum Fault: Error, Equatable {
        case unreadable
        /// Written by another version of the command.
        case form(Int)
    }

    /// What differs in the options of the two runs: then the figures may differ for that reason.
    var differences: [String]
    var figures: [Figure]

    var isWorse: Bool { figures.contains(where: \.isWorse) }

    /// Reads what `--json` wrote.
    static func read(_ data: Data) throws(Fault) -> LoadResult {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Head: Decodable {
            let form: Int
        }
        guard let head = try? decoder.decode(Head.self, from: data) else { throw .unreadable }
        guard head.form == LoadResult.formOfNow else { throw .form(head.form) }
        guard let result = try? decoder.decode(LoadResult.self, from: data) else {
            throw .unreadable
        }
        return result
    }

    /// - Parameter tolerance: the share by which a figure may be worse.
    init(before: LoadResult, now: LoadResult, tolerance: Double) {
        differences = Self.differences(before.configuration, now.configuration)
        var figures: [Figure] = []
        func add(
            _ name: String, _ before: Double?, _ now: Double?, higherIsBetter: Bool,
            _ text: (Double) -> String
        ) {
            // Without a figure now, nothing was accepted, which is a failure of its own.
            guard let before, let now, before > 0 || now > 0 else { return }
            let isWorse =
                higherIsBetter ? now < before * (1 - tolerance) : now > before * (1 + tolerance)
            let change =
                before > 0 ? String(format: "%+.1f %%", (now / before - 1) * 100) : "was 0"
            figures.append(
                Figure(
                    name: name, before: before, now: now, isWorse: isWorse,
                    text: "\(text(before)) → \(text(now)) (\(change))"))
        }
        add(
            "requests/s", before.requests.perSecond, now.requests.perSecond, higherIsBetter: true,
            Figures.short)
        add(
            "readings/s", before.readings.perSecond, now.readings.perSecond, higherIsBetter: true,
            Figures.short)
        for (name, value) in [
            ("p50", \LoadResult.Latency.p50), ("p90", \.p90), ("p99", \.p99), ("p99.9", \.p999),
        ] {
            add(
                name, before.latency?[keyPath: value], now.latency?[keyPath: value],
                higherIsBetter: false, Figures.milliseconds)
        }
        add(
            "failed", before.requests.failedShare, now.requests.failedShare, higherIsBetter: false,
            Figures.share)
        self.figures = figures
    }

    private static func differences(
        _ before: LoadResult.Configuration, _ now: LoadResult.Configuration
    ) -> [String] {
        let pairs: [(String, String, String)] = [
            ("mode", before.mode, now.mode),
            ("connections", "\(before.connections)", "\(now.connections)"),
            ("outstanding", "\(before.outstanding)", "\(now.outstanding)"),
            (
                "requests/s", Figures.short(before.requestsPerSecond ?? 0),
                Figures.short(now.requestsPerSecond ?? 0)
            ),
            ("duration", "\(before.durationSeconds) s", "\(now.durationSeconds) s"),
            ("devices", "\(before.devices)", "\(now.devices)"),
            ("batch", "\(before.batch)", "\(now.batch)"),
            ("bodies", before.bodies ?? "ingest", now.bodies ?? "ingest"),
        ]
        return pairs.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) → \($0.2)" }
    }

    /// What got worse, or that nothing did.
    var lines: [String] {
        var lines = figures.map { "\($0.isWorse ? "✗" : "✓") \($0.name)  \($0.text)" }
        if !differences.isEmpty {
            lines.append("not the same run: " + differences.joined(separator: ", "))
        }
        let worse = figures.filter(\.isWorse).map(\.name)
        lines.append(
            worse.isEmpty
                ? "nothing got worse than in the baseline"
                : "worse than in the baseline: " + worse.joined(separator: ", "))
        return lines
    }
}
