public import Erasure
import Foundation
public import Postgres
import Retention

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
    private let progress: (String) -> Void

    /// - Parameters:
    ///   - user: exactly as apps and devices send it.
    ///   - connection: to a database with this binary's schema.
    ///   - progress: gets the name of each table or file that is processed.
    public init(
        _ user: String, _ configuration: ServiceConfiguration, on connection: Connection,
        progress: @escaping (String) -> Void
    ) {
        self.user = user
        self.configuration = configuration
        self.connection = connection
        self.progress = progress
    }

    /// The erasure of a user or, if nothing is stored under that name, of a device that named no
    /// user: its id, in lower case, is its user.
    public static func ofUserOrDevice(
        _ name: String, _ configuration: ServiceConfiguration, on connection: Connection,
        progress: @escaping (String) -> Void
    ) throws -> UserErasure {
        let erasure = UserErasure(name, configuration, on: connection, progress: progress)
        let device = name.lowercased()
        guard device != name else { return erasure }
        let found = try erasure.survey()
        guard found.rows == 0, found.devices == 0, try erasure.spooled()?.waiting ?? 0 == 0 else {
            return erasure
        }
        return UserErasure(device, configuration, on: connection, progress: progress)
    }

    /// What this node's spool holds of the user; nil if there is no spool.
    public func spooled() throws -> SpoolContents.PreviousWatermarks? {
        let path = DataDirectory(configuration.dataDirectory).spoolPath
        if access(path, F_OK) != 0, errno == ENOENT { return nil }
        progress("the spool")
        return try SpoolContents(configuration).holding(of: user)
    }

    /// Counts, and changes nothing.
    public func survey() throws -> ErasureReport {
        let files = files
        defer { files?.close() }
        return try Eraser.survey(
            user, on: connection, isOld: { try files?.isOld($0) ?? false }, progress: progress)
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
        let files = files
        defer { files?.close() }
        let held = try held(settings)
        defer { held.session.end() }
        let report = try Eraser.erase(
            user, on: connection, vacuums: vacuums,
            removeFile: { try files?.remove($0) ?? false },
            removeArchived: { keys in try remove(keys, from: held) }, progress: progress)
        ImportCheckpoint.removeAll(in: DataDirectory(configuration.dataDirectory))
        return report
    }

    /// Without an app that keeps files, those that rows name are left.
    private var files: (any UserFiles)? {
        configuration.apps.lazy.compactMap { $0.userFiles(configuration) }.first
    }

    /// Days are being archived or restored now.
    public struct Busy: Error {}

    // MARK: Archived days

    /// The session is held even without an archive, so that no other node archives a day while its
    /// rows are removed.
    private typealias Held = (session: ArchiveSession, archive: Archive?)

    private func held(_ settings: ConnectionSettings) throws -> Held {
        let second = try DatabaseAccess.connect(settings)
        guard let session = try ArchiveSession(second, patience: .seconds(60)) else {
            throw Busy()
        }
        return (session, configuration.fittingRetention.archive)
    }

    private func remove(_ keys: Set<Int64>, from held: Held) throws -> ArchiveCount {
        var count = ArchiveCount()
        guard let archive = held.archive else {
            // There may be files, but this node does not know where.
            count.failures = try ArchiveCatalog.parts(on: connection).compactMap { part in
                part.file.map { "\($0): not searched, SLUICE_ARCHIVE_DIRECTORY is not set" }
            }
            return count
        }
        progress("archived days")
        let report = try ArchiveErasure(held.session, archive).erase(deviceKeys: keys)
        count.filesRewritten = report.filesRewritten
        count.rowsRemoved = report.rowsRemoved
        count.failures = report.failures.map { "\($0.file): \($0.reason)" }
        return count
    }
}
