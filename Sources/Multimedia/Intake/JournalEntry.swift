import MediaStorage

/// A request that was read to its end: fields checked, files durable, nothing named yet.
public struct JournalEntry: Sendable {
    /// What it creates.
    public let kind: JournalKind
    /// Files that were not stored, in the order in which they came.
    public let problems: [FileProblem]
    let fields: JournalFields
    let files: [JournalUpload]

    /// Bytes of the files that are stored.
    public var bytes: Int { files.reduce(0) { $0 + $1.object.bytes } }

    /// Files that are stored.
    public var fileCount: Int { files.count }

    /// Given by the client, or made where the client sent several files.
    var groupID: String? {
        fields.groupID ?? (files.count + problems.count > 1 ? Multimedia.freshID() : nil)
    }
}
