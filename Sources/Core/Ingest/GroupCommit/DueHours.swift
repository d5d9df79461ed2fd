import Readings
import Scanner

/// The hours in which a group has new positions or measurements. Its transaction notes them in
/// `sluice.rollup_due`, and `sluice.sum_hours` sums them later.
///
/// The note of an hour stays until the hour is summed, so the hour of a device's newest reading has
/// one already, unless it or a later one was summed. Most batches add nothing.
///
/// Made from what ``Deduplication`` lets through, so a batch that is sent again causes no sums. A
/// late position (not newer than the device's newest one) changes the distance to the next
/// position, which may be in a later hour; the database looks that hour up after the rows.
package struct DueHours {
    private struct Hour: Hashable, Comparable {
        let deviceKey: Int64
        /// Microseconds since 2000.
        let beginning: Int64
        let kind: ReadingKind

        static func < (left: Self, right: Self) -> Bool {
            (left.deviceKey, left.beginning, left.kind.rawValue)
                < (right.deviceKey, right.beginning, right.kind.rawValue)
        }
    }

    private var hours: Set<Hour> = []
    /// The hours with late positions.
    private var late: Set<Hour> = []

    package init() {}

    /// - Parameter holding: the device batch's device, from before the group.
    mutating func add(
        _ deviceBatch: DeviceBatch, _ verdicts: (ReadingKind) -> Deduplication.Verdict,
        _ holding: Claim.Previous
    ) {
        for kind in ReadingKind.allCases where kind.schema.hasRollup {
            let rows = deviceBatch.summary(of: kind)
            guard rows.count > 0 else { continue }
            let watermark = holding.watermarks[kind]
            var noted: Int64?
            if watermark > .min, Self.beginning(of: watermark) >= holding.summedUntil {
                noted = Self.beginning(of: watermark)
            }
            let verdict = verdicts(kind)
            let last = Self.beginning(of: rows.last)
            if verdict == .all, rows.first > watermark, Self.beginning(of: rows.first) == last {
                if last != noted {
                    hours.insert(
                        Hour(deviceKey: deviceBatch.key.value, beginning: last, kind: kind))
                }
                continue
            }
            Self.forEachTime(of: deviceBatch, kind, verdict) { time in
                let hour = Hour(
                    deviceKey: deviceBatch.key.value, beginning: Self.beginning(of: time),
                    kind: kind)
                if hour.beginning != noted { hours.insert(hour) }
                if kind == .gps, time <= watermark { late.insert(hour) }
            }
        }
    }

    /// Statements that follow the rows; none without hours.
    package var statements: [String] {
        var statements: [String] = []
        if !hours.isEmpty {
            let notes = hours.sorted().map {
                "(\($0.deviceKey), '\(Self.text($0.beginning))', '\($0.kind.name)')"
            }
            statements.append(
                "INSERT INTO sluice.rollup_due (device_key, hour, kind) VALUES "
                    + notes.joined(separator: ", ") + " ON CONFLICT DO NOTHING")
        }
        if !late.isEmpty {
            let late = late.sorted()
            let keys = late.map { "\($0.deviceKey)" }.joined(separator: ",")
            let beginnings = late.map { Self.text($0.beginning) }.joined(separator: ",")
            statements.append("CALL sluice.note_next_hours('{\(keys)}', '{\(beginnings)}')")
        }
        return statements
    }

    private static func text(_ microseconds: Int64) -> String {
        Timestamp(microseconds: microseconds).microsecondsText
    }

    /// Also right for times before 2000.
    private static func beginning(of time: Int64) -> Int64 {
        let hour: Int64 = 3_600_000_000
        let rest = time % hour
        return time - rest - (rest < 0 ? hour : 0)
    }

    private static func forEachTime(
        of deviceBatch: DeviceBatch, _ kind: ReadingKind, _ verdict: Deduplication.Verdict,
        _ body: (Int64) -> Void
    ) {
        deviceBatch.withRows(of: kind) { rows in
            let tuples = rows.tuples.bytes
            let ranges =
                if case .some(let ranges, _) = verdict { ranges } else { [0..<tuples.count] }
            for range in ranges {
                var start = range.lowerBound
                while start < range.upperBound {
                    body(TupleBuffer.time(in: tuples, at: start))
                    start = TupleBuffer.tupleEnd(in: tuples, at: start)
                }
            }
        }
    }
}
