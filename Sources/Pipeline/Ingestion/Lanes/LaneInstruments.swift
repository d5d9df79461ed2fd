public import Instruments
import Readings
import Scanning
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
            "sluice_group_retries_total", help: "Attempts at a group after its first.")
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
    func noteRefusals(_ outcomes: [CommitOutcome]) {
        for case .committed(_, _, _, let refusals) in outcomes where refusals.count > 0 {
            for (counter, reason) in zip(quarantined, LaneRefusals.reasons) {
                counter.increment(by: refusals[reason])
            }
        }
    }

    /// A group was committed.
    ///
    /// - Returns: bytes of its tuples and payloads.
    func note(_ group: Group, _ time: Duration) -> Int {
        let bytes = group.parcels.reduce(0) { $0 + $1.parcel.byteCount }
        commitTime.record(time)
        if !group.parcels.isEmpty {
            groupBatches.record(group.parcels.count)
            groupReadings.record(group.parcels.reduce(0) { $0 + $1.parcel.rowCount })
        }
        bytesCommitted.increment(by: bytes)
        guard !group.units.isEmpty else { return bytes }
        groupUnits.record(group.units.count)
        return bytes + group.units.reduce(0) { $0 + $1.unit.payload.utf8.count }
    }
}

/// How a lane has spent its time, and how long batches waited for it and stayed in it. These are
/// sums since the start. Their differences over an interval give rates, busy shares and, by
/// Little's law, the average number of batches in each stage.
struct LaneTimes: Sendable {
    /// Live batches (parts of them, and units) taken from the queue.
    private(set) var batches = 0
    /// Time between offer and group, over all batches.
    private(set) var wait = Duration.zero
    /// Time between group and answer, over all batches.
    private(set) var stay = Duration.zero
    /// Committed transactions, including the backlog's.
    private(set) var groups = 0
    /// Times of committed transactions; the rest of `busy` is failed attempts, the pauses between
    /// them, and answers.
    private(set) var steps = GroupTimes()
    /// Time spent committing a group.
    private(set) var busy = Duration.zero
    /// When the current group began, and how many live batches it has.
    private var current: (since: ContinuousClock.Instant, batches: Int)?

    mutating func begin(
        _ batches: Int, waited: Duration, now: ContinuousClock.Instant
    ) {
        self.batches += batches
        wait += waited
        current = (now, batches)
    }

    mutating func end(now: ContinuousClock.Instant) {
        self = self.seen(at: now)
        current = nil
    }

    mutating func committed(_ times: GroupTimes) {
        groups += 1
        steps += times
    }

    /// Includes the current group's time so far, so that a lane stuck in one counts as busy.
    func seen(at now: ContinuousClock.Instant) -> LaneTimes {
        guard let current else { return self }
        var seen = self
        let elapsed = max(.zero, now - current.since)
        seen.busy += elapsed
        seen.stay += elapsed * current.batches
        seen.current = (max(now, current.since), current.batches)
        return seen
    }
}

/// Where the time of a group's transaction went.
package struct GroupTimes: Sendable {
    /// BEGIN, locking and reading the devices' rows, registering new devices.
    package var claim = Duration.zero
    /// Looking up what may be stored already, and everything that is not in another step.
    package var sift = Duration.zero
    /// Sending the rows, statements of units.
    package var copy = Duration.zero
    /// From the last row sent to the answer to COMMIT, including the note of due hours.
    package var commit = Duration.zero

    package init() {}

    static func += (sum: inout GroupTimes, other: GroupTimes) {
        sum.claim += other.claim
        sum.sift += other.sift
        sum.copy += other.copy
        sum.commit += other.commit
    }
}
