public import Instruments
import Readings
import Scanner
import Synchronization

/// The instruments of all lanes; they add to the same series.
public final class LaneInstruments: Sendable {
    let groupReadings: Histogram
    let groupBatches: Histogram
    let groupUnits: Histogram
    let queueWait: Histogram
    let commitTime: Histogram
    let bytesCommitted: Counter
    let groupsRetried: Counter
    let groupsSplit: Counter
    let connectionsOpened: Counter
    /// In the order of ``LaneRefusals/reasons``.
    private let quarantined: [Counter]

    /// Registers all of them, once for each registry.
    public init(_ registry: Registry) {
        groupReadings = registry.histogram(
            "sluice_group_readings", help: "Readings a transaction, duplicates among them.",
            unit: .count, bounds: Histogram.sizeBounds)
        groupBatches = registry.histogram(
            "sluice_group_batches", help: "Batches a transaction.",
            unit: .count, bounds: Histogram.sizeBounds)
        groupUnits = registry.histogram(
            "sluice_group_units", help: "Units of work a transaction that has any.",
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
            "sluice_group_retries_total", help: "LaneHealth.Attempts at a group after its first.")
        groupsSplit = registry.counter(
            "sluice_group_splits_total", help: "Groups split because PostgreSQL refused them.")
        connectionsOpened = registry.counter(
            "sluice_lane_connections_total", help: "Connections that lanes opened.")
        // The edge counts what the scanner quarantines under the same name.
        quarantined = LaneRefusals.reasons.map { reason in
            registry.counter(
                QuarantineSeries.name, help: QuarantineSeries.help,
                labels: [
                    MetricLabel("reason", reason.rawValue), MetricLabel("found_by", "database"),
                ])
        }
    }

    /// Counts the readings that a lane quarantined.
    func noteRefusals(_ outcomes: [BatchOutcome]) {
        for case .committed(let counts) in outcomes where counts.refusals.count > 0 {
            for (counter, reason) in zip(quarantined, LaneRefusals.reasons) {
                counter.increment(by: counts.refusals[reason])
            }
        }
    }

    /// A group was committed.
    ///
    /// - Returns: bytes of its tuples and payloads.
    func note(_ group: Group, _ time: Duration) -> Int {
        let bytes = group.deviceBatches.reduce(0) { $0 + $1.deviceBatch.byteCount }
        commitTime.record(time)
        if !group.deviceBatches.isEmpty {
            groupBatches.record(group.deviceBatches.count)
            groupReadings.record(group.deviceBatches.reduce(0) { $0 + $1.deviceBatch.rowCount })
        }
        bytesCommitted.increment(by: bytes)
        guard !group.units.isEmpty else { return bytes }
        groupUnits.record(group.units.count)
        return bytes + group.units.reduce(0) { $0 + $1.unit.payload.utf8.count }
    }
}
