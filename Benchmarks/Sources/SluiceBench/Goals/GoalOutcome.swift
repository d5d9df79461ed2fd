import Foundation
import Load

/// One measured row of the goals table.
struct GoalOutcome: Codable {
    enum Direction: String, Codable {
        case atLeast = "≥"
        case atMost = "≤"
    }

    let name: String
    /// The unit of the figures, such as "×" or "ms".
    let unit: String
    let direction: Direction
    let goal: Double
    /// One value per pair, in the order of measurement.
    var values: [Double]
    /// The absolute figures of both sides, and anything else that explains the ratio.
    var remark = ""
    /// Why the figures are void; nil if they are valid.
    var void: String?

    var median: Double { values.isEmpty ? .nan : Figures.median(values) }

    var isMet: Bool {
        guard void == nil, !values.isEmpty else { return false }
        return direction == .atLeast ? median >= goal : median <= goal
    }

    var verdict: String { void != nil ? "VOID" : isMet ? "ok" : "SHORT" }

    var line: String {
        let figures = String(
            format: "%7.2f (%.2f – %.2f) %@", median, values.min() ?? .nan, values.max() ?? .nan,
            unit)
        let left = name.padding(toLength: max(44, name.count), withPad: " ", startingAt: 0)
        let goalText = "goal \(direction.rawValue) " + String(format: "%.2f", goal)
        return "\(verdict.padding(toLength: 5, withPad: " ", startingAt: 0)) \(left) \(figures), "
            + goalText + (remark.isEmpty ? "" : " · " + remark) + (void.map { " · " + $0 } ?? "")
    }
}

/// The machine on which the figures were measured.
struct Machine: Codable {
    var processor: String
    var cores: Int
    var kernel: String
    var postgres = ""
    /// The commit that is checked out, with `-dirty` if files differ from it.
    let commit: String
    /// Year, month and day, by UTC.
    let date: String
    /// The load average of the minute before. If it is not low, other processes have changed the
    /// figures.
    let loadBefore: Double

    init() {
        var loads = [0.0]
        loadBefore = getloadavg(&loads, 1) == 1 ? loads[0] : 0
        commit = Self.output(of: ["git", "describe", "--always", "--dirty"]) ?? "unknown"
        date = String(Date.now.ISO8601Format().prefix(10))

        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        func value(_ key: String) -> String? {
            lines.split(separator: "\n").first { $0.hasPrefix(key) }
                .flatMap { $0.split(separator: ":", maxSplits: 1).last }
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let family = value("cpu family").map { ", family \($0)" } ?? ""
        processor = (value("model name") ?? "unknown processor") + family
        cores = ProcessInfo.processInfo.activeProcessorCount
        let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        kernel = "Linux " + (release ?? "?").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func output(of command: [String]) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0
            ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    var line: String {
        "commit \(commit) · \(date) · \(processor) · \(cores) cores · \(kernel)"
            + (postgres.isEmpty ? "" : " · \(postgres)")
            + String(format: " · load before %.1f", loadBefore)
    }
}

/// All outcomes of a run, as Markdown to read and as JSON to compare.
struct GoalReport: Codable {
    let machine: Machine
    let outcomes: [GoalOutcome]

    var markdown: String {
        let rows = outcomes.map { outcome in
            "| \(outcome.name) | "
                + String(
                    format: "%.2f (%.2f – %.2f) %@", outcome.median, outcome.values.min() ?? .nan,
                    outcome.values.max() ?? .nan, outcome.unit)
                + " | \(outcome.direction.rawValue) \(String(format: "%.2f", outcome.goal)) | "
                + "\(outcome.verdict) | \(outcome.remark)\(outcome.void.map { " " + $0 } ?? "") |"
        }
        return """
            \(machine.line)

            | what | median (min – max) | goal | | |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            """
    }

    func write(to directory: String, as name: String = "goals") throws {
        guard !directory.isEmpty else { return }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let format = DateFormatter()
        format.dateFormat = "yyyyMMdd-HHmmss"
        format.timeZone = TimeZone(identifier: "UTC")
        let stem = "\(directory)/\(name)-\(format.string(from: Date()))"
        try markdown.write(toFile: stem + ".md", atomically: true, encoding: .utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(self).write(to: URL(fileURLWithPath: stem + ".json"))
        print("written to \(stem).md and .json")
    }
}
