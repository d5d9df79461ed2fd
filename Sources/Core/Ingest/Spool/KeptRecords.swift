import Instruments
import Scanner

/// Records that stay in the spool because some of their units have kinds unknown to this process.
public struct KeptRecords: Sendable, Equatable {
    /// How many; all their other units are stored.
    public internal(set) var count = 0
    /// By kind; includes records whose other units are not stored yet.
    public internal(set) var unknownUnits: [String: Int] = [:]
}
