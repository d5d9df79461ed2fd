import Instruments
import Readings
import Scanner
import SpoolLog

/// Units in the spool of kinds that this process does not know; decides only.
///
/// Another version wrote them. Their records stay in the spool until a process that knows the kinds
/// replays them. The known units of such a record are written meanwhile, once in each process,
/// because a kind's statement may be called again for what it has written.
struct UnknownKinds {
    /// Units by kind, of the records that were read so far.
    private(set) var units: [String: Int] = [:]
    private var records: Set<RecordID> = []
    private var isNew = false
    private var reminder = Reminder()

    /// Notes the unknown kinds of a record, one name for each unit; a second time does nothing.
    mutating func find(_ names: [String], in record: RecordID) {
        guard !names.isEmpty, records.insert(record).inserted else { return }
        for name in names { units[name, default: 0] += 1 }
        isNew = true
    }

    /// What is to be logged now: at most once a minute, and only when there is more.
    mutating func news(now: ContinuousClock.Instant) -> String? {
        guard isNew, reminder.isDue("unknown kinds", now: now) != nil else { return nil }
        isNew = false
        return units.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
            .joined(separator: ", ")
    }
}
