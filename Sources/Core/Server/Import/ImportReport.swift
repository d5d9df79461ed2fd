public import Imports
public import Readings

/// What became of a file's readings, in one run.
public struct ImportReport: Sendable {
    /// Readings, and where the first of them is.
    public struct Tally: Equatable, Sendable {
        /// How many.
        public internal(set) var count = 0
        /// nil: not known.
        public internal(set) var firstLine: Int?

        mutating func add(_ count: Int = 1, line: Int?) {
            if firstLine == nil { firstLine = line }
            self.count += count
        }
    }

    /// Readings of the file that were read, with those before the checkpoint.
    public internal(set) var read = 0
    /// Readings that an earlier run had brought to their end.
    public internal(set) var skipped = 0
    /// Readings that are now stored.
    public internal(set) var stored = 0
    /// Readings that were stored already.
    public internal(set) var duplicates = 0
    /// Readings that are in quarantine, by reason.
    public internal(set) var quarantined: [QuarantineReason: Tally] = [:]
    /// Readings that are older than `SLUICE_READING_AGE_MAX`.
    public internal(set) var tooOld = Tally()
    /// Readings whose device has caused as many new days as it may.
    public internal(set) var beyondBudget = Tally()
    /// How many that are.
    public let daysPerDeviceMax: Int
    /// Readings that the scanner can't read, because they are not UTF-8 or their device's id is too
    /// long; nothing of them is kept.
    public internal(set) var unreadable = Tally()
    /// Readings that the database refuses although they are good, by SQLSTATE.
    public internal(set) var refused: [String: Tally] = [:]
    /// What is in the file and no reading, and notes; empty unless the file was read to its end.
    public internal(set) var rest = ImportRest()

    /// Whether readings are neither stored nor in quarantine.
    var hasLeftReadings: Bool {
        tooOld.count + beyondBudget.count + unreadable.count > 0 || !refused.isEmpty
    }

    init(daysPerDeviceMax: Int) { self.daysPerDeviceMax = daysPerDeviceMax }
}
