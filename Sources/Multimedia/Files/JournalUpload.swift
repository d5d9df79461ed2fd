import MediaStorage

/// A file of a request that is in the store, durable, and not named yet.
struct JournalUpload: Sendable {
    let id: String
    let object: StoredObject
    let type: MediaType
    let name: String
    let role: FileRole
    let facts: FileFacts
    /// From here on it gets old.
    let finishedAt: ContinuousClock.Instant

    /// Where it is served.
    var path: MediaPath {
        guard let path = MediaPath("journal/\(id)") else { preconditionFailure("BUG: id \(id)") }
        return path
    }
}
