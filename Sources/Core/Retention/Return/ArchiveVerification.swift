import Postgres
import Readings

/// Checks that a part can be restored: its file, its manifest and the database agree.
public struct ArchiveVerification: Sendable {
    private let archive: Archive

    /// Checks files of `archive`.
    public init(_ archive: Archive) {
        self.archive = archive
    }

    /// Reads and checks the whole file.
    ///
    /// - Throws: ``ArchiveError/damaged(path:_:)`` with the file and its fault.
    @discardableResult
    public func verify(_ part: ArchivedPart) throws -> Manifest {
        guard let file = part.file else { preconditionFailure("BUG: a part without a file") }
        let manifest = try archive.verify(file, id: part.id)
        guard manifest.facts.sha256 == part.sha256, manifest.rows == part.rows,
            manifest.kind == part.partition.kind.rawValue,
            manifest.day == part.partition.day.text
        else { throw ArchiveError.damaged(path: archive.path(of: file), .manifestDiffers) }
        return manifest
    }
}
