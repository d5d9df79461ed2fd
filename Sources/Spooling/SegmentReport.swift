/// One file of a spool, looked at record by record.
public struct SegmentReport: Sendable, Equatable {
    /// What the file is, by its name.
    public enum Kind: Sendable, Equatable {
        case segment
        /// Emptied, to be used again.
        case spare
        /// Moved aside because of damage.
        case setAside
    }

    /// The file's name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// Its size; more than its records take, as space is set aside beforehand.
    public internal(set) var bytes = 0
    /// Valid records; none in a spare.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// When the first of them was received, in microseconds since 2000-01-01 UTC.
    public internal(set) var firstTime: Int64?
    /// When the last of them was received.
    public internal(set) var lastTime: Int64?
    /// Where the last of them ends.
    public internal(set) var end = 0
    /// Bytes of writes that a crash cut off, or that are still under way in another process.
    public internal(set) var bytesCut = 0
    /// What is wrong with it, if anything is.
    public internal(set) var fault: SetAside.Reason?
    /// Set when it has records of a later version; nothing behind them was looked at.
    public internal(set) var unknownVersion: Int?

    /// Units of all kinds.
    public var units: Int { tally.total }

    init(_ name: SegmentName, _ kind: Kind) {
        self.name = name.text
        self.kind = kind
    }
}
