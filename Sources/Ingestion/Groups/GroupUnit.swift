package import Readings

/// One unit on its way into a group.
package final class GroupUnit: Sendable {
    package let unit: WorkUnit
    /// When it came in, which may be long ago if it was spooled; no other live unit of the process has
    /// this time, and units that came later have later ones.
    package let receivedAt: Timestamp
    /// It comes from the spool: whoever sent it has been told that it is safe, so it can't be
    /// refused any more, only set aside.
    package let isReplayed: Bool
    /// It comes from the spool, or its COMMIT was sent before and not answered: another version may
    /// have been acknowledged since.
    package let isLate: Bool
    /// Why it is set aside instead of recorded; nil: it is not.
    package let refusal: UnitRefusal?

    init(
        _ unit: WorkUnit, receivedAt: Timestamp, isReplayed: Bool = false, isLate: Bool = false,
        refusal: UnitRefusal? = nil
    ) {
        self.unit = unit
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
        self.isLate = isReplayed || isLate
        self.refusal = refusal
    }

    func refused(_ refusal: UnitRefusal) -> GroupUnit {
        GroupUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: isLate, refusal: refusal)
    }

    /// The same when it may have been committed already.
    func late() -> GroupUnit {
        GroupUnit(
            unit, receivedAt: receivedAt, isReplayed: isReplayed, isLate: true, refusal: refusal)
    }
}

/// Why a unit from the spool was set aside.
package struct UnitRefusal: Sendable {
    package enum Reason: String, Sendable {
        case refusedByDatabase = "refused_by_database"
    }

    package let reason: Reason
    /// nil: the database was not asked.
    package var sqlState: String?
}
