public import Readings

/// A person in a user's life, as far as the captures tell.
public struct Contact: Sendable, Equatable {
    /// Unique for a user.
    public var nameKey: String
    /// As it was first said.
    public var name: String
    /// As it was last said.
    public var relationship: String?
    /// What was said last about the person, a line each, the newest first.
    public var notes: String?
    /// The photo that shows the face most surely.
    public var bestFacePhotoURL: String?
    /// Time of the earliest capture with the person.
    public var firstSeen: Timestamp
    /// Time of the latest capture with the person.
    public var lastSeen: Timestamp
    /// Captures with the person.
    public var mentionCount: Int
}
