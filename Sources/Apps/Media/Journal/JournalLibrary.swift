public import Postgres

/// The journal as routes see it: a body comes in, JSON goes out. One for the process; store, database
/// and inspector are the caller's to end.
public final class JournalLibrary: Sendable {
    /// The limits that hold.
    public let configuration: JournalConfiguration
    let media: MediaLibrary
    let database: Database
    let inspector: Inspector

    /// How often a transaction is tried. A row that names the same content elsewhere is held until
    /// the commit, and whoever wants to change that one may be waited for by then.
    static var attemptsMax: Int { 3 }

    /// Uses none of them yet.
    public init(
        store: any MediaStore, database: Database, inspector: Inspector,
        configuration: JournalConfiguration = JournalConfiguration()
    ) {
        media = MediaLibrary(store: store, database: database)
        self.database = database
        self.configuration = configuration
        self.inspector = inspector
    }

    /// Where files are written.
    public var space: FreeSpace { media.store.space }

    /// Begins to read a create request.
    ///
    /// - Parameters:
    ///   - user: whose turn it is when the files are inspected.
    ///   - keepLocation: coordinates stay in the files. A part `keepLocation` says so too, wherever
    ///     it stands.
    public func intake(
        _ kind: JournalKind, user: String, boundary: MultipartBoundary, keepLocation: Bool = false
    ) -> JournalIntake {
        JournalIntake(
            kind, user: user, boundary: boundary, keepsLocation: keepLocation, into: media.store,
            inspector: inspector, configuration: configuration)
    }

    /// Commits a record and its files in one transaction.
    ///
    /// - Parameters:
    ///   - filesURL: what a file's id is appended to.
    ///   - errors: for people, what became of the entry's problems.
    /// - Returns: the body of the answer.
    /// - Throws: ``JournalFailure/expired``, `MediaStoreError`, `PostgresError`.
    public func commit(
        _ entry: JournalEntry, user: String, filesURL: String, errors: [String]
    ) async throws -> String {
        try await renew(entry.files)
        return try await database.withConnection { connection in
            try connection.transaction(attempts: Self.attemptsMax) {
                try JournalRecord(entry, user: user).insert(on: connection).answer(
                    filesURL: filesURL, errors: errors, on: connection)
            }
        }
    }

    /// Makes objects young again that have become half as old as the sweeper lets them.
    private func renew(_ files: [JournalUpload]) async throws {
        let oldest = ContinuousClock.now - media.store.graceTime / 2
        for file in files where file.finishedAt < oldest {
            guard try await media.store.renew(file.object.name) else {
                throw JournalFailure.expired
            }
        }
    }

    /// A user's records of a kind, the latest first: of calendar entries by their dates, of all
    /// others by when they were made.
    ///
    /// - Parameter kind: not ``JournalKind/profilePicture``, of which there is no list.
    public func list(
        _ kind: JournalKind, user: String, filesURL: String, page: JournalPage
    ) async throws -> String {
        precondition(kind != .profilePicture, "BUG: a list of profile pictures")
        return try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).list(kind, user: user, page, on: connection)
        }
    }

    /// One record; of ``JournalKind/upload`` one file, by its own id.
    ///
    /// - Returns: nil when the user has none of that id.
    public func item(
        _ kind: JournalKind, id: String, user: String, filesURL: String
    ) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        return try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).item(kind, id: id, user: user, on: connection)
        }
    }

    /// The user's picture; nil without one.
    public func profilePicture(user: String, filesURL: String) async throws -> String? {
        try await database.withConnection { connection in
            try JournalQueries(filesURL: filesURL).profilePicture(user: user, on: connection)
        }
    }

    /// Deletes a record and its files; of ``JournalKind/upload`` one file, by its own id.
    ///
    /// - Returns: nil when the user has none of that id.
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

    /// Deletes one of the user's files, whichever record it belongs to; an upload goes with its last
    /// one.
    ///
    /// - Returns: nil when the user has none of that id.
    public func removeFile(_ id: String, user: String) async throws -> String? {
        guard Journal.isID(id) else { return nil }
        let isRemoved = try await database.withConnection { connection in
            try connection.transaction(attempts: Self.attemptsMax) {
                try JournalRecord.removeFile(id, user: user, on: connection)
            }
        }
        return isRemoved ? "{\"success\":true,\"fileId\":\"\(id)\"}" : nil
    }

    /// What is known of a file; nil when the user has none of that id.
    public func find(file id: String, user: String) async throws -> JournalFile? {
        guard Journal.isID(id) else { return nil }
        return try await database.withConnection { connection in
            try JournalFile.find(id, user: user, on: connection)
        }
    }

    /// Opens a file; nil when it was deleted meanwhile.
    public func open(_ file: JournalFile) async throws -> StoredMedia? {
        try await media.open(file.media.path)
    }
}
