import Readings

/// Makes a contact of all mentions of one name.
///
/// It depends only on the set of mentions, not on their order or on how they arrived. Captures of
/// the same moment are sorted by id.
public enum ContactMerge {
    /// The most lines of ``Contact/notes``.
    public static let notesMax = 3

    /// - Parameter mentions: of one name key and one user, each capture once.
    /// - Returns: nil when there are no mentions.
    public static func contact(of mentions: [Mention]) -> Contact? {
        let ordered = mentions.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
        guard let first = ordered.first, let last = ordered.last else { return nil }
        precondition(
            ordered.allSatisfy { $0.nameKey == first.nameKey }, "BUG: mentions of two names")
        var notes: [String] = []
        for mention in ordered.reversed() where notes.count < notesMax {
            if let note = mention.note, !notes.contains(note) { notes.append(note) }
        }
        // Of equally sure photos the latest is chosen, because people change.
        let best = ordered.filter { $0.photoURL != nil }
            .max { ($0.faceConfidence ?? 0) < ($1.faceConfidence ?? 0) }
        let latestBest = ordered.last {
            $0.photoURL != nil && $0.faceConfidence == best?.faceConfidence
        }
        return Contact(
            nameKey: first.nameKey, name: first.name,
            relationship: ordered.last { $0.relationship != nil }?.relationship,
            notes: notes.isEmpty ? nil : notes.joined(separator: "\n"),
            bestFacePhotoURL: latestBest?.photoURL, firstSeen: first.time, lastSeen: last.time,
            mentionCount: ordered.count)
    }

    /// All contacts of a user, made only from the mentions, sorted by key.
    public static func contacts(of mentions: [Mention]) -> [Contact] {
        Dictionary(grouping: mentions, by: \.nameKey).values.compactMap { contact(of: $0) }
            .sorted { $0.nameKey < $1.nameKey }
    }
}
