import Postgres
import Readings

/// The archive: files of days and, beside each, its manifest, `gps_20250101.csv.zst` and
/// `gps_20250101.json`.
///
/// A file gets its name when it is complete and durable, its manifest after that. A file without a
/// manifest is a crash's leftover and is overwritten.
public struct Archive: Sendable {
    let store: any ArchiveStore

    init(_ store: any ArchiveStore) {
        self.store = store
    }

    /// A directory's path, or a bucket's URL.
    public var location: String { store.location }

    /// Requires that the directory or the bucket is there and can be read.
    ///
    /// - Throws: ``ArchiveError/notThere(path:)``, ``ArchiveError/bucket(location:_:)``.
    public func demand() throws(ArchiveError) { try store.demand() }

    /// Keeps other installations away until the result is released.
    ///
    /// - Throws: ``ArchiveError/busy``, ``ArchiveError/owned(location:mark:)``.
    func claim(_ session: ArchiveSession) throws -> AnyObject? {
        try store.claim {
            try session.expect(ArchiveSession.quick)
            return try session.connection.readEpoch()?.identity ?? ""
        }
    }

    /// The file name of a part.
    static func fileName(_ partition: DayPartition, part: Int) -> String {
        baseName(partition, part: part) + ArchiveForm.csvZstd.rawValue
    }

    private static func baseName(_ partition: DayPartition, part: Int) -> String {
        partition.name + (part > 1 ? "-\(part)" : "")
    }

    /// - Parameter file: one that was verified, or just named.
    static func form(of file: String) -> ArchiveForm {
        guard let form = ArchiveForm(ofFile: file) else {
            preconditionFailure("BUG: not the name of an archive file")
        }
        return form
    }

    private static func manifestName(of file: String) -> String {
        ArchiveForm.baseName(of: file) + ".json"
    }

    /// What messages call a file.
    func path(of file: String) -> String { store.path(of: file) }

    private func manifestPath(of file: String) -> String { path(of: Self.manifestName(of: file)) }

    /// A writer for a file; ``adopt(_:_:)`` gives the file its name.
    ///
    /// - Throws: ``ArchiveError/foreign(path:)`` if a file of that name has another part's
    ///   manifest.
    func begin(_ file: String, id: String) throws(ArchiveError) -> ArchiveWriter {
        try refuseForeign(file, id: id)
        return ArchiveWriter(try store.begin(file), Self.form(of: file))
    }

    /// - Parameter id: the part that may own the file; nil: none.
    func refuseForeign(_ file: String, id: String?) throws(ArchiveError) {
        guard let owner = try owner(of: file) else { return }
        guard let id, owner == id else { throw .foreign(path: path(of: file)) }
    }

    /// The part that a file's manifest names; blank if the manifest is invalid; nil if there is
    /// none. A manifest that can't be read now says nothing.
    private func owner(of file: String) throws(ArchiveError) -> String? {
        guard try store.exists(Self.manifestName(of: file)) else { return nil }
        do throws(ArchiveError) {
            return try manifest(of: file).id
        } catch .damaged {
            return ""
        }
    }

    /// Publishes a finished file and its manifest, durably.
    func adopt(_ writer: ArchiveWriter, _ manifest: Manifest) throws(ArchiveError) {
        try refuseForeign(manifest.file, id: manifest.id)
        try writer.draft.publish()
        let draft = try store.begin(Self.manifestName(of: manifest.file))
        let json = manifest.json
        try json.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
            try draft.append(bytes)
        }
        try draft.publish()
    }

    /// - Throws: ``ArchiveError/damaged(path:_:)`` if the manifest is missing or invalid;
    ///   ``ArchiveError/disk(operation:path:errno:)`` or ``ArchiveError/bucket(location:_:)`` if it
    ///   can't be read, which may pass.
    func manifest(of file: String) throws(ArchiveError) -> Manifest {
        let path = manifestPath(of: file)
        let name = Self.manifestName(of: file)
        guard let bytes = try store.contents(of: name, bytesMax: Self.manifestBytesMax),
            bytes.count <= Self.manifestBytesMax
        else { throw .damaged(path: path, .manifest) }
        if let format = Manifest.format(of: bytes), format > Manifest.newest {
            throw .newer(path: path, format: format)
        }
        guard let manifest = Manifest.parse(bytes) else { throw .damaged(path: path, .manifest) }
        return manifest
    }

    /// A manifest has some hundred bytes.
    private static let manifestBytesMax = 1 << 20

    /// Reads and checks a whole file and its manifest.
    ///
    /// - Returns: the manifest.
    /// - Throws: ``ArchiveError/damaged(path:_:)`` if anything differs from the manifest.
    func verify(_ file: String, id: String) throws -> Manifest {
        let manifest = try manifest(of: file)
        guard manifest.id == id, manifest.file == file, let form = ArchiveForm(ofFile: file) else {
            throw ArchiveError.damaged(path: manifestPath(of: file), .manifestDiffers)
        }
        let found = try ArchiveReader.read(file, in: store, form)
        if let damage = found.damage(expecting: manifest.facts) {
            throw ArchiveError.damaged(path: path(of: file), damage)
        }
        return manifest
    }

    /// Removes a file and its manifest if they belong to this part. The manifest is last, so that
    /// the removal can be repeated.
    ///
    /// - Returns: whether they belonged to the part.
    @discardableResult
    func remove(_ file: String, id: String) throws(ArchiveError) -> Bool {
        guard try owner(of: file) == id else { return false }
        try store.remove(file)
        try store.remove(Self.manifestName(of: file))
        return true
    }

    /// Whether there is any archive file.
    func hasFiles() throws(ArchiveError) -> Bool {
        try store.names(prefix: "").contains { ArchiveForm(ofFile: $0) != nil }
    }

    /// Whether neither the file nor its manifest exists.
    func isWithout(_ file: String) -> Bool {
        [file, Self.manifestName(of: file)].allSatisfy { (try? store.exists($0)) == false }
    }
}

/// Files that nothing names.
extension Archive {
    /// Removes what a crash left: files whose names are in no row and that have no manifest, and
    /// drafts. For who holds the turn and has claimed the archive, and has begun no file.
    ///
    /// - Parameter parts: all rows of `sluice.archive`.
    func removeLeftovers(known parts: [ArchivedPart]) throws(ArchiveError) {
        let known = Set(parts.compactMap(\.file))
        let names = Set(try store.names(prefix: ""))
        for name in names.sorted() {
            let file =
                name.hasSuffix(Self.draftSuffix)
                ? String(name.dropLast(Self.draftSuffix.count)) : name
            guard Self.isOfPart(file) else { continue }
            if file == name,
                known.contains(file) || names.contains(Self.manifestName(of: file))
                    || ArchiveForm(ofFile: file) == nil
            {
                continue
            }
            try store.remove(name)
        }
    }

    static let draftSuffix = ".part"

    /// Whether a file of rows, or a manifest, is named as those of parts are.
    private static func isOfPart(_ name: String) -> Bool {
        let base =
            name.hasSuffix(".json") ? String(name.dropLast(5)) : ArchiveForm.baseName(of: name)
        guard base != name, let match = base.wholeMatch(of: /(.+)_\d{8}(?:-\d+)?(?:\.\d+)?/)
        else { return false }
        return DayTable(rawValue: String(match.1)) != nil
    }
}

/// Files that replace another one.
extension Archive {
    /// `gps_20250101.csv.zst`, `gps_20250101.2.csv.zst`, `gps_20250101.3.csv.zst` …
    static func nextName(after file: String) -> String {
        var words = ArchiveForm.baseName(of: file).split(separator: ".").map(String.init)
        let number = words.count > 1 ? Int(words.removeLast()) ?? 1 : 1
        return words.joined(separator: ".") + ".\(number + 1)" + form(of: file).ofSuccessor.rawValue
    }

    /// Removes files of a part that its row does not name: leftovers of a crash.
    func removeOthers(of part: ArchivedPart) throws(ArchiveError) {
        let usual = Self.fileName(part.partition, part: part.part)
        let base = String(usual.prefix { $0 != "." }) + "."
        for name in try store.names(prefix: base)
        where name != part.file && ArchiveForm(ofFile: name) != nil {
            if let file = part.file, manifestPath(of: file) == manifestPath(of: name) {
                // An older version wrote the part in another form, before a crash. The manifest is
                // that of the part's file.
                guard try owner(of: name) == part.id else { continue }
                try store.remove(name)
            } else {
                try remove(name, id: part.id)
            }
        }
    }
}
