public import Instruments
import Synchronization

/// What all lanes together tell of themselves; lanes add to the same series.
public final class LaneInstruments: Sendable {
    let groupReadings: Histogram
    let groupBatches: Histogram
    let queueWait: Histogram
    let commitTime: Histogram
    let bytesCommitted: Counter
    let groupsRetried: Counter
    let groupsSplit: Counter
    let connectionsOpened: Counter

    /// Registers all of them, once for each registry.
    public init(_ registry: Registry) {
        groupReadings = registry.histogram(
            "sluice_group_readings", help: "Readings a transaction, duplicates among them.",
            unit: .count, bounds: Histogram.sizeBounds)
        groupBatches = registry.histogram(
            "sluice_group_batches", help: "Batches a transaction.",
            unit: .count, bounds: Histogram.sizeBounds)
        queueWait = registry.histogram(
            "sluice_queue_wait_seconds", help: "Time of a batch between offer and its group.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        commitTime = registry.histogram(
            "sluice_commit_seconds", help: "Time of a group from BEGIN to the answer to COMMIT.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        bytesCommitted = registry.counter(
            "sluice_tuple_bytes_total", help: "Bytes of tuples in committed groups.")
        groupsRetried = registry.counter(
            "sluice_group_retries_total", help: "Attempts at a group after its first.")
        groupsSplit = registry.counter(
            "sluice_group_splits_total", help: "Groups split because PostgreSQL refused them.")
        connectionsOpened = registry.counter(
            "sluice_lane_connections_total", help: "Connections that lanes opened.")
    }
}
