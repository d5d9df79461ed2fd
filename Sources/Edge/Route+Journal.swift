/// The paths of the journal: everything below `/api/users`.
extension Route {
    /// - Parameter path: with the slash in front, without one at the end.
    static func ofJournal(_ path: Substring) -> Route? {
        guard path == "/api/users" || path.hasPrefix("/api/users/") else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        guard parts.first == "user", parts.count >= 3, !parts.contains("") else {
            return .otherJournal
        }
        let (kind, rest) = (parts[parts.startIndex + 2], Array(parts.dropFirst(3)))
        switch (kind, rest.count) {
        case ("multimedia", 2) where rest[0] == "files": return .journalFile
        case ("profile-picture", 0): return .profilePicture
        case ("multimedia", 1) where rest[0] == "swift", ("moods", 1) where rest[0] == "swift",
            ("memories", 1) where rest[0] == "swift", ("events", 1) where rest[0] == "swift",
            ("profile-picture", 1) where rest[0] == "swift":
            return .journalEntry
        case ("multimedia", 0), ("moods", 0), ("memories", 0), ("events", 0): return .journalList
        case ("multimedia", 1), ("moods", 1), ("memories", 1), ("events", 1):
            return .journalRecord
        default: return .otherJournal
        }
    }
}
