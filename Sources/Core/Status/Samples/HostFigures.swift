import Foundation
import Instruments

/// CPU usage of the whole machine, including other processes. The unit is arbitrary: only
/// differences and ratios are meaningful.
public struct HostFigures: Equatable, Sendable {
    /// CPU time used by all cores.
    public var busy: Int
    /// CPU time available on all cores.
    public var total: Int
    /// Number of cores.
    public var cores: Int

    /// Figures with the given values.
    public init(busy: Int, total: Int, cores: Int) {
        self.busy = busy
        self.total = total
        self.cores = cores
    }

    /// Reads the figures from the system; nil if they are unavailable.
    ///
    /// Source: proc(5), "/proc/stat".
    public static func read() -> HostFigures? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        return HostFigures(statistics: text)
    }

    /// - Parameter statistics: the text of `/proc/stat`.
    public init?(statistics text: String) {
        let lines = text.split(separator: "\n")
        guard let first = lines.first(where: { $0.hasPrefix("cpu ") }) else { return nil }
        let times = first.split(separator: " ").dropFirst().prefix(8).map { Int($0) ?? 0 }
        // user, nice, system, idle, iowait, irq, softirq, steal
        guard times.count >= 5 else { return nil }
        let total = times.reduce(0, +)
        self.init(
            busy: total - times[3] - times[4], total: total,
            cores: lines.count { $0.hasPrefix("cpu") } - 1)
    }

    /// The share of the machine's CPU time used since `earlier`; nil if no time has passed.
    public func busyShare(since earlier: HostFigures) -> Double? {
        guard total > earlier.total else { return nil }
        return min(1, max(0, Double(busy - earlier.busy) / Double(total - earlier.total)))
    }
}
