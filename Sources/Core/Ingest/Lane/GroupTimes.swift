import Instruments
import Synchronization

/// Where the time of a group's transaction went.
package struct GroupTimes: Sendable {
    /// BEGIN, locking and reading the devices' rows, registering new devices.
    package var claim = Duration.zero
    /// Looking up what may be stored already, and everything that is not in another step.
    package var sift = Duration.zero
    /// Sending the rows, statements of units.
    package var copy = Duration.zero
    /// From the last row sent to the answer to COMMIT, including the note of due hours; for few rows
    /// also their INSERTs.
    package var commit = Duration.zero

    package init() {}

    static func += (sum: inout GroupTimes, other: GroupTimes) {
        sum.claim += other.claim
        sum.sift += other.sift
        sum.copy += other.copy
        sum.commit += other.commit
    }
}
