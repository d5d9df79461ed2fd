/// Which days are to leave. Decides only.
public enum RetentionPlan {
    /// The partitions that are older than their limit, the oldest day first.
    ///
    /// With a limit of 30 days, on March 31st, February 28th leaves and March 1st stays: each
    /// reading has been there for 30 days and more, by whatever time of its day and of today.
    ///
    /// - Parameters:
    ///   - names: all partitions; names that are not a day's are left alone.
    ///   - today: by the database's clock, so that all nodes agree.
    ///   - kept: what was brought back for a while.
    public static func due(
        names: some Sequence<String>, today: Day, kept: Set<DayPartition> = [],
        _ configuration: RetentionConfiguration
    ) -> [DayPartition] {
        names.compactMap { DayPartition(name: $0) }.filter { partition in
            let days =
                partition.kind.isRollup ? configuration.rollupDays : configuration.readingDays
            return days > 0 && partition.day < today.before(days: days) && !kept.contains(partition)
        }.sorted()
    }
}
