import Foundation
public import Readings

/// A person in a user's life, as known from the captures.
public struct Contact: Sendable, Equatable {
    /// The folded name, unique for a user.
    public var nameKey: String
    /// The name as in the earliest capture.
    public var name: String
    /// The relationship as in the latest capture that has one.
    public var relationship: String?
    /// The latest notes about the person, one a line, newest first.
    public var notes: String?
    /// The photo with the highest confidence in the person's face.
    public var bestFacePhotoURL: String?
    /// The time of the earliest capture with the person.
    public var firstSeen: Timestamp
    /// The time of the latest capture with the person.
    public var lastSeen: Timestamp
    /// The number of captures with the person.
    public var mentionCount: Int
}
