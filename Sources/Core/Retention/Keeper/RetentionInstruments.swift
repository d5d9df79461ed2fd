public import Instruments
import Schema
import Synchronization

/// The metrics of retention on this node.
public final class RetentionInstruments: Sendable {
    let archived: Counter
    let dropped: Counter
    let rows: Counter
    let done: Counter
    let failed: Counter
    let swept: MetricFamily<Schema.Table, Counter>
    /// 1 if this node's last run failed, in whole or in part.
    let isFailing: Gauge
    /// Seconds since 1970; 0: no run of this process succeeded yet.
    let lastDone: Gauge
    /// The size of the archive's file system; 0: there is none, or a bucket.
    let bytes: Gauge
    let bytesFree: Gauge

    /// Registers all metrics.
    public init(_ registry: Registry, _ configuration: RetentionConfiguration) {
        let days = configuration.readingDays
        registry.gauge(
            "sluice_retention_days", help: "Days that readings stay; 0: for ever."
        ) { Double(days) }
        let partitions = "Days of a table that were archived or dropped, by outcome."
        archived = registry.counter(
            "sluice_retention_partitions_total", help: partitions,
            labels: [MetricLabel("outcome", "archived")])
        dropped = registry.counter(
            "sluice_retention_partitions_total", help: partitions,
            labels: [MetricLabel("outcome", "dropped")])
        rows = registry.counter(
            "sluice_retention_rows_total", help: "Rows of days that were archived or dropped.")
        let runs = "Retention runs of this node that had the archive's lock."
        done = registry.counter(
            "sluice_retention_runs_total", help: runs, labels: [MetricLabel("outcome", "done")])
        failed = registry.counter(
            "sluice_retention_runs_total", help: runs, labels: [MetricLabel("outcome", "failed")])
        swept = registry.counters(
            "sluice_retention_swept_rows_total",
            help: "Unclaimed rows that were removed, by table.", label: "table",
            keys: Schema.Table.leftovers, text: \.name)
        isFailing = registry.gauge(
            "sluice_retention_failing", help: "1 if the last run could not finish its work.")
        lastDone = registry.gauge(
            "sluice_retention_last_done_timestamp_seconds",
            help: "When a run of this process last finished its work; 0: never.")
        bytes = registry.gauge(
            "sluice_archive_filesystem_bytes",
            help: "Size of the archive's file system; 0: there is no archive, or it is in a bucket."
        )
        bytesFree = registry.gauge(
            "sluice_archive_filesystem_free_bytes",
            help: "Free bytes of the archive's file system.")
    }
}
