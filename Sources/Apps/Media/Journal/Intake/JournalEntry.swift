import Inspections
import NIOCore

/// A complete request: its fields are checked, its files are durable but not yet named by a row.
public struct JournalEntry: Sendable {
    /// The kind of record it creates.
    public let kind: JournalKind
    /// Files that were not stored, in the order of arrival.
    public let problems: [FileProblem]
    let fields: JournalFields
    let files: [JournalUpload]

    /// Bytes of the stored files.
    public var bytes: Int { files.reduce(0) { $0 + $1.object.bytes } }

    /// The number of stored files.
    public var fileCount: Int { files.count }

    /// The client's group, or a new one when the client sent several files without one.
    var groupID: String? {
        fields.groupID ?? (files.count + problems.count > 1 ? Journal.freshID() : nil)
    }
}
