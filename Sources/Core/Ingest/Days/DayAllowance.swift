package import Postgres
package import Scanner
import Readings

/// The partitions that a command may still cause for each device, of those that are missing.
///
/// Lanes hold a batch whose device has used up its budget until they give it up. A command asks
/// here first, so it offers only batches that its lanes can commit.
package struct DayAllowance {
    private let perDeviceMax: Int
    /// How many days a partition holds.
    private let partitionDays: Int32
    /// Days that have all of their partitions, or will have them, by this command.
    private var known: Set<Int32>
    private var spent: [Int64: Int] = [:]

    /// Reads which days exist.
    package init(perDeviceMax: Int, on connection: Connection) throws(PostgresError) {
        self.perDeviceMax = perDeviceMax
        known = try PostgresDaySession.existingDays(on: connection)
        partitionDays = try connection.query("SELECT sluice.partition_days()").int32(0, 0)
    }

    /// Counts the missing partitions of a batch's days.
    ///
    /// - Returns: false if one of its devices may not cause so many; then nothing is counted.
    package mutating func admit(_ batch: ScannedBatch) -> Bool {
        var (known, spent) = (known, spent)
        for deviceBatch in batch.deviceBatches {
            let missing = PartitionWaitQueue.days(of: deviceBatch, without: known)
            guard !missing.isEmpty else { continue }
            let count = Set(missing.map(firstDay)).count
            let sum = spent[deviceBatch.key.value, default: 0] + count
            guard sum <= perDeviceMax else { return false }
            spent[deviceBatch.key.value] = sum
            for day in missing {
                let first = firstDay(day)
                known.formUnion(first..<first + partitionDays)
            }
        }
        (self.known, self.spent) = (known, spent)
        return true
    }

    /// As `sluice.first_day`, which counts from Monday, 2000-01-03.
    private func firstDay(_ day: Int32) -> Int32 {
        let place = (day - 2) % partitionDays
        return day - (place < 0 ? place + partitionDays : place)
    }
}
