public import Instruments
import Readings
import Scanning
import Synchronization

/// What all lanes together tell of themselves; lanes add to the same series.
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
    /// By the places of ``LaneRefusals/reasons``.
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
        // The edge counts what the scanner sets aside under the same name.
        quarantined = LaneRefusals.reasons.map { reason in
            registry.counter(
                QuarantineSeries.name, help: QuarantineSeries.help,
                labels: [
                    MetricLabel("reason", reason.rawValue), MetricLabel("found_by", "database"),
                ])
        }
    }

    /// What became of a group's parts.
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

/// What a lane has done with its time, and how long batches waited for it and stayed in it: sums
/// since the start, of which the difference over an interval gives rates, busy shares and, by
/// Little's law, how many batches there were in each stage on average.
struct LaneTimes: Sendable {
    /// Batches (parts of them, and units) that clients wait for, taken from the queue.
    private(set) var batches = 0
    /// Time between offer and group, over all batches.
    private(set) var wait = Duration.zero
    /// Time between group and answer, over all batches.
    private(set) var stay = Duration.zero
    /// Transactions committed, the backlog's among them.
    private(set) var groups = 0
    /// Of committed transactions; all other time of `busy` went into attempts that failed, pauses
    /// between them, and answers.
    private(set) var steps = GroupTimes()
    /// Time in which there was a group.
    private(set) var busy = Duration.zero
    /// Since when there is one, and how many of its batches somebody waits for.
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

    /// With the part of the group at hand that is over: a lane that is stuck in one is busy.
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
    /// Looking up what may be stored already, and all that is not one of the others.
    package var sift = Duration.zero
    /// Sending the rows and sums, statements of units.
    package var copy = Duration.zero
    /// From the last row sent to the answer to COMMIT: PostgreSQL tells of both together.
    package var commit = Duration.zero

    package init() {}

    static func += (sum: inout GroupTimes, other: GroupTimes) {
        sum.claim += other.claim
        sum.sift += other.sift
        sum.copy += other.copy
        sum.commit += other.commit
    }
}
