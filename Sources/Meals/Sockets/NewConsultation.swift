import Readings

/// A consultation that has been asked for and is not stored yet.
public struct NewConsultation: Sendable, Equatable {
    let id: String
    let user: String
    let createdAt: Timestamp
}
