import Postgres
import Readings

/// A consultation that is not stored yet.
public struct NewConsultation: Sendable, Equatable {
    let id: String
    let user: String
    let createdAt: Timestamp
}
