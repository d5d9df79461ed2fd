import Foundation

/// A CSV file of an archive, by its path: for who reads it without the table of the database that
/// wrote it.
public struct ArchiveFile {
    /// What stands beside it.
    public let manifest: Manifest
    private let name: String
    private let archive: Archive
    private static let form = ArchiveForm.csvZstd

    /// Whether a file of this name is one.
    public static func isOne(_ path: String) -> Bool { path.hasSuffix(form.rawValue) }

    /// Reads the whole file once, so that what is read later is what was written.
    ///
    /// - Throws: ``ArchiveError/damaged(path:_:)`` if the manifest is missing or anything differs from
    ///   it; ``ArchiveError/newer(path:format:)``.
    public init(_ path: String) throws {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        name = url.lastPathComponent
        archive = Archive(ArchiveDirectory(url.deletingLastPathComponent().path))
        manifest = try archive.manifest(of: name)
        let found = try ArchiveReader.read(name, in: archive.store, Self.form)
        if let damage = found.damage(expecting: manifest.facts) {
            throw ArchiveError.damaged(path: url.path, damage)
        }
    }

    /// Passes the contents to `body` in pieces.
    public func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        _ = try ArchiveReader.read(name, in: archive.store, Self.form, body)
    }
}
