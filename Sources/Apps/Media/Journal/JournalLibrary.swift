import Foundation
public import Ingest
public import Postgres

/// The journal as the routes use it: a request's body goes in, JSON comes out.
///
/// One per process. The caller shuts down the store, the database and the inspector.
public final class JournalLibrary: Sendable {
    /// The limits in force.
    public let configuration: JournalConfiguration
    let media: MediaLibrary
    let database: Database
    let inspector: Inspector

    /// How often a deletion is tried. It may deadlock with a lane that stores the same content.
    static var attemptsMax: Int { 3 }

    /// Does no I/O yet.
    public init(
        store: any MediaStore, database: Database, inspector: Inspector,
        configuration: JournalConfiguration = JournalConfiguration()
    ) {
        media = MediaLibrary(store: store, database: database)
        self.database = database
        self.configuration = configuration
        self.inspector = inspector
    }

    /// Free space where files are written.
    public var space: FreeSpace { media.store.space }

    /// - Returns: nil if files of the client can be inspected now; otherwise the time until then.
    public func inspectionWait(of client: InspectionClient) -> Duration? {
        inspector.wait(of: client)
    }

    /// Begins to read a create request.
    ///
    /// - Parameters:
    ///   - client: whose turns the inspections of files use.
    ///   - keepLocation: coordinates stay in the files. A part `keepLocation` sets it too, wherever
    ///     it is in the request.
    public func intake(
        _ kind: JournalKind, for client: InspectionClient, boundary: MultipartBoundary,
        keepLocation: Bool = false
    ) -> JournalIntake {
        JournalIntake(
            kind, for: client, boundary: boundary, keepsLocation: keepLocation, into: media.store,
            inspector: inspector, configuration: configuration)
    }

    /// Makes an entry a record whose unit is to be committed now.
    ///
    /// - Parameter key: of the request; an entry of the same kind, user and key is the same entry.
    ///   Not for a profile picture, which replaces the former one in any case.
    /// - Throws: ``JournalFailure/expired``, `MediaStoreError`.
    public func record(
        _ entry: JournalEntry, user: String, key: IdempotencyKey? = nil
    ) async throws -> JournalRecord {
        try await renew(entry.files)
        return try JournalRecord(
            entry, user: user, key: key, now: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// The answer to a request whose record was there already: the stored record, as it is now.
    ///
    /// - Parameter errors: the problems of this request's files as messages for people.
    /// - Returns: nil if it has been deleted.
    public func answer(
        _ record: JournalRecord, user: String, filesURL: String, errors: [String]
    ) async throws -> String? {
        let (kind, id) = (record.entry.kind, record.id)
        let stored = try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).created(
                kind, id: id, user: user, on: connection)
        }
        return try stored.map { try JournalRecord.answer($0, errors: errors) }
    }

    /// Changes a record of a kind that is changeable.
    ///
    /// - Returns: the record as ``item(_:id:user:filesURL:)`` does; nil when the user has no record
    ///   with the id.
    public func change(
        _ kind: JournalKind, id: String, user: String, _ change: JournalChange, filesURL: String
    ) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        return try await database.withConnection { connection in
            try connection.transaction(attempts: Self.attemptsMax) {
                let isChanged = try JournalRecord.change(
                    kind, id: id, user: user, change, on: connection)
                guard isChanged else { return nil }
                return try JournalQueries(filesURL: filesURL).item(
                    kind, id: id, user: user, on: connection)
            }
        }
    }

    /// Renews objects older than half the grace time, so that the sweeper can't remove them before
    /// the commit.
    private func renew(_ files: [JournalUpload]) async throws {
        let oldest = ContinuousClock.now - media.store.graceTime / 2
        for file in files where file.finishedAt < oldest {
            guard try await media.store.renew(file.object.name) else {
                throw JournalFailure.expired
            }
        }
    }

    /// A user's records of one kind, newest first: calendar entries by date, the others by creation
    /// time.
    ///
    /// - Parameter kind: not ``JournalKind/profilePicture``, which has no list.
    public func list(
        _ kind: JournalKind, user: String, filesURL: String, page: JournalPage
    ) async throws -> String {
        precondition(kind != .profilePicture, "BUG: a list of profile pictures")
        return try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).list(kind, user: user, page, on: connection)
        }
    }

    /// One record. For ``JournalKind/upload``, one file by its own id.
    ///
    /// - Returns: nil when the user has no record or file with the id, and always for
    ///   ``JournalKind/profilePicture``.
    public func item(
        _ kind: JournalKind, id: String, user: String, filesURL: String
    ) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        return try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).item(kind, id: id, user: user, on: connection)
        }
    }

    /// The user's profile picture; nil when there is none.
    public func profilePicture(user: String, filesURL: String) async throws -> String? {
        try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).profilePicture(user: user, on: connection)
        }
    }

    /// Deletes a record and its files. For ``JournalKind/upload`` and
    /// ``JournalKind/profilePicture``, deletes one file by its own id.
    ///
    /// - Returns: the body of the answer; nil when the user has no record or file with the id.
    public func remove(_ kind: JournalKind, id: String, user: String) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        if kind == .upload || kind == .profilePicture {
            return try await removeFile(id, user: user)
        }
        let isRemoved = try await database.withConnection { connection in
            try connection.transaction(attempts: Self.attemptsMax) {
                try JournalRecord.remove(kind, id: id, user: user, on: connection)
            }
        }
        return isRemoved ? "{\"success\":true,\"id\":\"\(id)\"}" : nil
    }

    /// Deletes one of the user's files, whichever record it belongs to. Deleting the last file of
    /// an upload deletes the upload.
    ///
    /// - Returns: the body of the answer; nil when the user has no file with the id.
    public func removeFile(_ id: String, user: String) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        let isRemoved = try await database.withConnection { connection in
            try connection.transaction(attempts: Self.attemptsMax) {
                try JournalRecord.removeFile(id, user: user, on: connection)
            }
        }
        return isRemoved ? "{\"success\":true,\"fileId\":\"\(id)\"}" : nil
    }

    /// The row of a file; nil when the user has no file with the id.
    public func find(file id: String, user: String) async throws -> JournalFile? {
        guard Journal.isID(id) else { return nil }
        return try await database.withConnection { connection in
            try JournalFile.find(id, user: user, on: connection)
        }
    }

    /// Opens a file; nil when it has been deleted since.
    public func open(_ file: JournalFile) async throws -> StoredMedia? {
        try await media.open(file.media.path)
    }
}
