import Instruments

/// The metrics of sealing on this node.
final class SealingInstruments: Sendable {
    let sealed: Counter
    let failed: Counter
    let readings: Counter
    let merged: Counter

    /// Registers all metrics.
    init(_ registry: Registry, _ configuration: RetentionConfiguration) {
        let days = "Days of a table that were to be sealed, by outcome."
        sealed = registry.counter(
            "sluice_sealing_partitions_total", help: days,
            labels: [MetricLabel("outcome", "sealed")])
        failed = registry.counter(
            "sluice_sealing_partitions_total", help: days,
            labels: [MetricLabel("outcome", "failed")])
        readings = registry.counter(
            "sluice_sealing_readings_total", help: "Readings of days that were sealed.")
        merged = registry.counter(
            "sluice_sealing_merged_total",
            help: "Devices whose late readings of a sealed day were packed.")
    }
}
