import Inspections

/// A file of a request that is durable in the store, but not yet linked to a record.
struct JournalUpload: Sendable {
    let id: String
    let object: StoredObject
    let type: MediaType
    let name: String
    let role: FileRole
    let facts: FileFacts
    /// When the object became durable; its grace time begins here.
    let finishedAt: ContinuousClock.Instant

    /// The path under which it is served.
    var path: MediaPath {
        guard let path = MediaPath("journal/\(id)") else { preconditionFailure("BUG: id \(id)") }
        return path
    }
}
