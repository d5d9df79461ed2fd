/// Whether a part can be brought back: its file, its manifest and the database say the same.
public struct ArchiveVerification: Sendable {
    private let directory: ArchiveDirectory

    /// Of the files there.
    public init(_ directory: ArchiveDirectory) {
        self.directory = directory
    }

    /// Reads the file whole.
    ///
    /// - Throws: ``ArchiveError/damaged(path:_:)`` with the file and what is wrong with it.
    @discardableResult
    public func verify(_ part: ArchivedPart) throws -> Manifest {
        guard let file = part.file else { preconditionFailure("BUG: a part without a file") }
        let manifest = try directory.verify(file, id: part.id)
        guard manifest.facts.sha256 == part.sha256, manifest.rows == part.rows,
            manifest.kind == part.partition.kind.rawValue,
            manifest.day == part.partition.day.text
        else { throw ArchiveError.damaged(path: directory.path(of: file), .manifestDiffers) }
        return manifest
    }
}
