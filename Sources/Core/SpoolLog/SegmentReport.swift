/// The report on one file of a spool, examined record by record.
public struct SegmentReport: Sendable, Equatable {
    /// What the file is, according to its name.
    public enum Kind: Sendable, Equatable {
        case segment
        /// Emptied, to be reused.
        case spare
        /// Moved aside because of damage.
        case setAside
    }

    /// The file's name.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// The file's size; more than its records need, because space is allocated in advance.
    public internal(set) var bytes = 0
    /// Valid records; none in a spare.
    public internal(set) var records = 0
    /// Units by kind, of all records whose checksums are correct.
    public internal(set) var tally = UnitTally()
    /// When the first record was received, in microseconds since 2000-01-01 UTC.
    public internal(set) var firstTime: Int64?
    /// The end of the last record.
    public internal(set) var end = 0
    /// Bytes of writes that a crash interrupted, or that another process has not finished.
    public internal(set) var bytesCut = 0
    /// The damage, if any.
    public internal(set) var fault: SetAside.Reason?
    /// Why a part of it could not be read; its bytes may be intact.
    public internal(set) var readError: DiskError?
    /// Set when it has records of another version; later bytes were not examined.
    public internal(set) var unknownVersion: Int?

    /// Units of all kinds.
    public var units: Int { tally.total }

    init(_ name: SegmentName, _ kind: Kind) {
        self.name = name.text
        self.kind = kind
    }
}
