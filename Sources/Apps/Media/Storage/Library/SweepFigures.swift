import Glibc
import Postgres

/// The results of one sweep.
public struct SweepFigures: Sendable, Equatable {
    /// Old objects that are named by rows and were kept.
    public var objectsNamed = 0
    /// Old objects that no row named.
    public var objectsRemoved = 0
    /// Leftover files and unfinished uploads of crashed processes.
    public var leftoversRemoved = 0
    /// Objects and steps that failed, now or not long ago.
    public var failed = 0
    /// Those that failed now.
    var triedAndFailed = 0

    /// All zero.
    public init() {}
}
