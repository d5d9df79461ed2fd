import Readings
import Times

/// Decides which days leave.
public enum RetentionPlan {
    /// The partitions whose last day is older than their limit, oldest first.
    ///
    /// With a limit of 30 days, on March 31st, February 28th leaves and March 1st stays: every
    /// reading that leaves is at least 30 days old, whatever its time of day.
    ///
    /// - Parameters:
    ///   - names: all partitions; names of no day are ignored.
    ///   - today: by the database's clock, so that all nodes agree.
    ///   - partitionDays: the length of a partition.
    ///   - kept: restored days that may not leave yet.
    public static func due(
        names: some Sequence<String>, today: Day, partitionDays: Int = 1,
        kept: Set<DayPartition> = [], _ configuration: RetentionConfiguration
    ) -> [DayPartition] {
        names.compactMap { DayPartition(name: $0) }.filter { partition in
            let days =
                partition.kind.isRollup ? configuration.rollupDays : configuration.readingDays
            return days > 0 && partition.day < today.before(days: days + partitionDays - 1)
                && !kept.contains(partition)
        }.sorted()
    }
}
