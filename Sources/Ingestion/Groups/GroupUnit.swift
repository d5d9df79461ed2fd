package import Readings

/// One unit on its way into a group.
package final class GroupUnit: Sendable {
    package let unit: WorkUnit
    /// When it came in, which may be long ago if it waited in the spool.
    package let receivedAt: Timestamp
    /// It comes from the spool: whoever sent it has been told that it is safe, so it can't be
    /// refused any more, only set aside.
    package let isReplayed: Bool
    /// Why it is set aside instead of recorded; nil: it is not.
    package let refusal: UnitRefusal?

    init(
        _ unit: WorkUnit, receivedAt: Timestamp, isReplayed: Bool = false,
        refusal: UnitRefusal? = nil
    ) {
        self.unit = unit
        self.receivedAt = receivedAt
        self.isReplayed = isReplayed
        self.refusal = refusal
    }

    func refused(_ refusal: UnitRefusal) -> GroupUnit {
        GroupUnit(unit, receivedAt: receivedAt, isReplayed: isReplayed, refusal: refusal)
    }
}

/// Why a unit from the spool was set aside.
package struct UnitRefusal: Sendable {
    package enum Reason: String, Sendable {
        case refusedByDatabase = "refused_by_database"
        case kindUnknown = "kind_unknown"
    }

    package let reason: Reason
    /// nil: the database was not asked.
    package var sqlState: String?
}
