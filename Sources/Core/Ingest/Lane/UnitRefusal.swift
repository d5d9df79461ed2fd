import Readings

/// Why a unit from the spool is rejected: a row of `sluice.unit_set_aside`.
package enum UnitRefusal: Sendable, Equatable {
    /// The database refused it by itself.
    case byDatabase(sqlState: String)
    /// Another request of its user had its `Idempotency-Key`. With the database reachable its sender
    /// would have been told so.
    case keyReused

    /// As operators see it.
    var reason: String {
        switch self {
        case .byDatabase: QuarantineReason.refusedByDatabase.rawValue
        case .keyReused: "idempotency_key_reused"
        }
    }

    /// nil: the database did not refuse it.
    var sqlState: String? {
        if case .byDatabase(let sqlState) = self { sqlState } else { nil }
    }
}
