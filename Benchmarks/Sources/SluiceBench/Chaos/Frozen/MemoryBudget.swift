import ArgumentParser
import Foundation

/// The memory that Sluice may use by its settings, part by part.
struct MemoryBudget {
    let parts: [(name: String, bytes: Int)]
    let connections: Int

    /// Memory that a connection may use in addition to its requests.
    static let connectionBytes = 16 * 1024

    var bytes: Int {
        parts.reduce(0) { $0 + $1.bytes } + connections * Self.connectionBytes
    }

    /// Reads the defaults from the program's own `config` command.
    init(binary: String, settings: [String: String], connections: Int) throws {
        self.connections = connections
        let text = try Child.run([binary, "config"], log: Rig.temporaryDirectory + "/config.out")
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("#SLUICE_") {
            let words = line.dropFirst().split(separator: "=", maxSplits: 1)
            if words.count == 2 { values[String(words[0])] = String(words[1]) }
        }
        values.merge(settings) { $1 }
        func bytes(_ key: String) throws -> Int {
            guard let text = values[key], let bytes = Self.bytes(text) else {
                throw ValidationError("'sluice config' does not list \(key).")
            }
            return bytes
        }
        let configured = values["SLUICE_LANES"].flatMap { Int($0) } ?? 0
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let lanes = configured > 0 ? configured : min(max(cores, 2), 8)
        parts = [
            ("requests in flight", try bytes("SLUICE_IN_FLIGHT_BYTES_MAX")),
            (
                "\(lanes) lanes",
                lanes
                    * (try bytes("SLUICE_LANE_BYTES_MAX") + bytes("SLUICE_GROUP_BYTES_MAX"))
            ),
            ("spool intake", try bytes("SLUICE_SPOOL_INTAKE_BYTES_MAX")),
            ("replay", try bytes("SLUICE_REPLAY_BYTES_MAX")),
        ]
    }

    private static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isNumber }
        guard let number = Int(digits) else { return nil }
        switch text.dropFirst(digits.count) {
        case "", "B": return number
        case "KiB": return number << 10
        case "MiB": return number << 20
        case "GiB": return number << 30
        default: return nil
        }
    }
}
