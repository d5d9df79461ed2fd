public import Erasure
import Foundation
import Media
public import Postgres
import Retention
import Synchronization

/// `sluice forget`: erases a user from this installation's database, file store and archive.
///
/// **The spool** of this data directory is searched first, and nothing is erased while pending
/// records of the user are in it: its replay would store them again. The server or
/// `sluice spool replay` empties it. Records are not cut out of its files, because they hold
/// acknowledged batches of many devices. Spools of other nodes can't be seen from here.
public struct UserErasure {
    private let user: String
    private let configuration: ServiceConfiguration
    private let connection: Connection
    /// The user's devices before anything was removed.
    private let devices: Set<String>
    private let progress: (String) -> Void

    /// - Parameters:
    ///   - user: exactly as apps and devices send it.
    ///   - connection: to a database with this binary's schema.
    ///   - progress: gets the name of each table or file that is processed.
    public init(
        _ user: String, _ configuration: ServiceConfiguration, on connection: Connection,
        progress: @escaping (String) -> Void
    ) throws(PostgresError) {
        self.user = user
        self.configuration = configuration
        self.connection = connection
        devices = try Eraser.deviceIDs(of: user, on: connection)
        self.progress = progress
    }

    /// What this node's spool holds of the user; nil if there is no spool.
    public func spooled() throws -> SpoolContents.Holding? {
        let path = DataDirectory(configuration.dataDirectory).spoolPath
        if access(path, F_OK) != 0, errno == ENOENT { return nil }
        progress("the spool")
        return try SpoolContents(configuration).holding(of: user, devices: devices)
    }

    /// Counts, and changes nothing.
    public func survey() throws -> ErasureReport {
        let store = StoreBox(configuration)
        defer { store.close() }
        return try Eraser.survey(
            user, on: connection, isOld: { try store.isOld($0) }, progress: progress)
    }

    /// Removes everything.
    ///
    /// - Parameters:
    ///   - settings: for a second connection, whose lock keeps archiving out meanwhile.
    ///   - vacuums: whether the tables are vacuumed afterwards.
    /// - Throws: ``Busy`` when days are being archived or restored.
    public func run(
        _ settings: ConnectionSettings, vacuums: Bool
    ) throws -> ErasureReport {
        let store = StoreBox(configuration)
        defer { store.close() }
        let archive = try archive(settings)
        defer { archive.session.end() }
        return try Eraser.erase(
            user, on: connection, vacuums: vacuums,
            removeFile: { try store.remove($0) },
            removeArchived: { keys in try remove(keys, from: archive) }, progress: progress)
    }

    /// Days are being archived or restored now.
    public struct Busy: Error {}

    // MARK: Archived days

    /// The session is held even without a directory, so that no other node archives a day while its
    /// rows are removed.
    private typealias Archive = (session: ArchiveSession, directory: ArchiveDirectory?)

    private func archive(_ settings: ConnectionSettings) throws -> Archive {
        let second = try DatabaseAccess.connect(settings)
        guard let session = try ArchiveSession(second, patience: .seconds(60)) else {
            throw Busy()
        }
        return (session, configuration.retention.directoryPath.map { ArchiveDirectory($0) })
    }

    private func remove(_ keys: Set<Int64>, from archive: Archive) throws -> ArchiveCount {
        var count = ArchiveCount()
        guard let directory = archive.directory else {
            // The archive has files, but this node has no archive directory.
            count.failures = try ArchiveCatalog.parts(on: connection).compactMap { part in
                part.file.map { "\($0): SLUICE_ARCHIVE_DIRECTORY is not set" }
            }
            return count
        }
        progress("archived days")
        let report = try ArchiveErasure(archive.session, directory).erase(deviceKeys: keys)
        count.filesRewritten = report.filesRewritten
        count.rowsRemoved = report.rowsRemoved
        count.failures = report.failures.map { "\($0.file): \($0.reason)" }
        return count
    }
}

/// The file store, opened at the first use.
private final class StoreBox {
    private let configuration: MediaConfiguration
    private var store: (any MediaStore)?

    init(_ configuration: ServiceConfiguration) {
        self.configuration = configuration.media(
            in: DataDirectory(configuration.dataDirectory))
    }

    /// - Returns: false for a file that is too new.
    func remove(_ object: ErasedObject) throws -> Bool {
        try ask(object) { try await $0.removeOld($1) }
    }

    /// Whether ``remove(_:)`` would remove it.
    func isOld(_ object: ErasedObject) throws -> Bool {
        try ask(object) { try await $0.isOld($1) }
    }

    private func ask(
        _ object: ErasedObject,
        _ question: @escaping @Sendable (any MediaStore, ObjectName) async throws -> Bool
    ) throws -> Bool {
        guard let name = ObjectName(object.name) else {
            preconditionFailure("BUG: a row names the object \(object.name)")
        }
        let store = try self.store ?? MediaLocation.open(configuration)
        self.store = store
        let outcome = Mutex<Result<Bool, any Error>?>(nil)
        DatabaseAccess.wait {
            do {
                let answer = try await question(store, name)
                outcome.withLock { $0 = .success(answer) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        return try outcome.withLock { try $0?.get() ?? false }
    }

    func close() {
        guard let store else { return }
        DatabaseAccess.wait { await store.shutdown() }
    }
}
