import Foundation

/// The length and the load of a soak, and what follows from them.
struct SoakPlan {
    let seconds: Double
    let requestsPerSecond: Double
    let options: ChaosOptions
    /// Mean time from the end of a fault to the next.
    let faultSeconds: Double

    /// A live reading with its index and its share of the log is smaller than this.
    private static let readingBytesMax = 200.0
    /// The share of the free space that the readings may take.
    private static let shareOfDiskMax = 0.7
    private static let readingsOfTick = 3.0
    /// Fewer than the days of ``DayArchived``: the fleet's own days stay in the tables.
    private static let daysMax = 55

    var sampleSeconds: Double {
        let parts = Double(SoakVerdict.parts * SoakVerdict.samplesOfPartMin)
        return min(30, max(1, seconds / (parts * 2)))
    }

    var readings: Double { seconds * requestsPerSecond * Double(options.batch) }

    /// The seconds between readings of a device: with more, the fleet would see too many days.
    var tickSeconds: Int64 { days(tickSeconds: 5) > 20 ? 1 : 5 }

    /// The days of the fleet's readings. Those before yesterday can be sealed.
    var days: Int64 { Int64(days(tickSeconds: Double(tickSeconds)).rounded(.up)) + 3 }

    private func days(tickSeconds: Double) -> Double {
        readings / Double(options.devices) / Self.readingsOfTick * tickSeconds / 86_400
    }

    /// Why the soak can't run; nil if it can.
    ///
    /// - Parameter freeBytes: of the file system of the database.
    func obstacle(freeBytes: Double) -> String? {
        if days > Self.daysMax {
            return "\(options.devices) devices would send the readings of \(days) days, and those "
                + "of more than \(Self.daysMax) would be archived: use more --devices"
        }
        let needed = readings * Self.readingBytesMax
        let allowed = freeBytes * Self.shareOfDiskMax
        guard needed > allowed else { return nil }
        return String(
            format: "%.1f h at %.0f requests a second need up to %.0f GB, and %.0f GB are free: at "
                + "most --rate %.0f, or --hours %.1f",
            seconds / 3600, requestsPerSecond, needed / 1e9, freeBytes / 1e9,
            requestsPerSecond * allowed / needed, seconds / 3600 * allowed / needed)
    }
}
