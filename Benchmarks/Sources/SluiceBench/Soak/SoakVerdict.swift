import Foundation
import Load

/// Decides whether something grew in a soak: its time is cut into parts, and the medians of the last
/// part are compared with those of the second. The first part warms buffers and pools, and fills
/// the write-ahead log.
struct SoakVerdict {
    /// One measured thing.
    struct Growth: Equatable {
        let name: String
        let unit: Unit
        /// The medians.
        let second: Double
        let last: Double
        /// The largest good value of `last`.
        let limit: Double

        var isMet: Bool { last <= limit }
    }

    enum Unit {
        case bytes, count, bytesPerReading
    }

    static let parts = 8
    /// With fewer, a median says nothing.
    static let samplesOfPartMin = 4

    /// Empty if there are too few samples.
    let growths: [Growth]

    var isGood: Bool { !growths.isEmpty && growths.allSatisfy(\.isMet) }

    init(_ samples: [SoakSample]) {
        let length = samples.count / Self.parts
        guard length >= Self.samplesOfPartMin else {
            growths = []
            return
        }
        let second = samples[length..<2 * length]
        let last = samples.suffix(length)
        /// - Parameters:
        ///   - ratio: how much more the last part may be.
        ///   - room: how much more it may be in any case: a pool that grows once, a segment, a
        ///     connection.
        ///   - bound: up to this, growth is no fault.
        func growth(
            _ name: String, _ unit: Unit, ratio: Double, room: Double, bound: Double = 0,
            _ value: (SoakSample) -> Double
        ) -> Growth {
            let before = Figures.median(second.map(value))
            return Growth(
                name: name, unit: unit, second: before, last: Figures.median(last.map(value)),
                limit: max(before * ratio + room, bound))
        }
        growths = [
            growth("resident memory of node 0", .bytes, ratio: 1.2, room: Self.mebibytes(16)) {
                Double($0.residentBytes)
            },
            growth("descriptors of node 0", .count, ratio: 1.1, room: 16) { Double($0.openFiles) },
            growth("files of spools", .count, ratio: 1.2, room: 4) { Double($0.spoolFiles) },
            growth("bytes of spools", .bytes, ratio: 1.2, room: Self.mebibytes(64)) {
                Double($0.spoolBytes)
            },
            growth(
                "database bytes for each reading", .bytesPerReading, ratio: 1.1, room: 0,
                \.bytesPerReading),
            // PostgreSQL keeps up to max_wal_size between checkpoints, and a little more in one.
            growth(
                "write-ahead log", .bytes, ratio: 1.2, room: 0,
                bound: 1.25 * Double(ChaosDatabase.logBytesMax)
            ) { Double($0.logBytes) },
        ]
    }

    private static func mebibytes(_ count: Double) -> Double { count * 1_048_576 }

    /// One line for each.
    var lines: [String] {
        guard !growths.isEmpty else { return ["too few samples: the soak was too short"] }
        return growths.map { growth in
            let name = growth.name.padding(toLength: 34, withPad: " ", startingAt: 0)
            let texts = [growth.second, growth.last, growth.limit].map { growth.unit.text($0) }
            return "\(name)\(texts[0]) → \(texts[1]), limit \(texts[2]): "
                + (growth.isMet ? "met" : "NOT MET")
        }
    }
}

extension SoakVerdict.Unit {
    func text(_ value: Double) -> String {
        switch self {
        case .bytes: String(format: "%.1f MiB", value / 1_048_576)
        case .count: String(format: "%.0f", value)
        case .bytesPerReading: String(format: "%.1f", value)
        }
    }
}
