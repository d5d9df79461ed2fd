public import Postgres

/// A store and the table that names what is in it.
public struct MediaLibrary: Sendable {
    /// Objects that are asked about in one statement of a sweep.
    static let sweepPage = 1000

    /// The bytes.
    public let store: any MediaStore
    private let database: Database
    private let lookups: MediaLookups
    private let opened = OpenObjects()

    /// Neither is used yet.
    public init(store: any MediaStore, database: Database) {
        self.store = store
        self.database = database
        lookups = MediaLookups { paths in
            try await database.withConnection { try MediaCatalog.find(paths, on: $0) }
        }
    }

    /// Commits a row that names an object as a file of a capture, at a path where it replaces nobody
    /// else's. A row that belongs to a larger transaction is written by ``MediaCatalog`` there instead.
    ///
    /// - Parameters:
    ///   - id: of the capture, as the app says it.
    ///   - owner: whose it is; nil: nobody says.
    ///   - within: for all of it, waiting for a connection included.
    /// - Returns: the path.
    public func commit(
        _ object: StoredObject, ofCapture id: String, as file: CaptureFile, contentType: String,
        owner: String?, within: Duration
    ) async throws -> MediaPath {
        try await database.withConnection(within: within) { connection in
            try MediaCatalog.store(
                object, ofCapture: id, as: file, contentType: contentType, owner: owner,
                on: connection)
        }
    }

    /// What a path names, without opening it: enough for an answer without a body. It was true after
    /// the call; many calls at a time share statements.
    public func find(_ path: MediaPath) async throws -> MediaFile? {
        try await lookups.find(path)
    }

    /// Opens what a path names; nil when it names nothing.
    ///
    /// - Throws: ``MediaStoreError/missing(_:)`` when the store has lost what the row names.
    public func open(_ path: MediaPath) async throws -> StoredMedia? {
        guard let file = try await find(path) else { return nil }
        if let source = try await source(file.object) {
            return StoredMedia(file: file, source: source)
        }
        // Between the row and the file the path got another content and the sweeper came.
        guard let file = try await find(path) else { return nil }
        return StoredMedia(file: file, source: try await store.open(file.object))
    }

    private func source(_ object: ObjectName) async throws -> (any MediaSource)? {
        if let source = opened.find(object) { return source }
        do {
            let source = try await store.open(object)
            opened.keep(source, as: object)
            return source
        } catch MediaStoreError.missing {
            return nil
        }
    }

    /// Removes what no row names and what crashed uploads left. Any number of nodes may sweep at a
    /// time.
    public func sweep() async throws -> SweepFigures {
        // What is open here would keep its room on the disk.
        opened.closeAll()
        var figures = SweepFigures()
        figures.leftoversRemoved = try await store.removeLeftovers()
        var isDone = false
        var last: ObjectName?
        while !isDone {
            let page = try await store.oldObjects(after: last, limit: Self.sweepPage)
            let named = try await named(among: page.objects)
            figures.objectsNamed += named.count
            for object in page.objects where !named.contains(object) {
                try Task.checkCancellation()
                if try await store.removeOld(object) { figures.objectsRemoved += 1 }
            }
            last = page.next
            isDone = page.next == nil
        }
        return figures
    }

    private func named(among objects: [ObjectName]) async throws -> Set<ObjectName> {
        try await database.withConnection { try MediaCatalog.named(among: objects, on: $0) }
    }
}

/// What one sweep did.
public struct SweepFigures: Sendable, Equatable {
    /// Old objects that rows name.
    public var objectsNamed = 0
    /// Old objects that no row named.
    public var objectsRemoved = 0
    /// Files and unfinished uploads of crashed processes.
    public var leftoversRemoved = 0

    /// Nothing was done.
    public init() {}
}
