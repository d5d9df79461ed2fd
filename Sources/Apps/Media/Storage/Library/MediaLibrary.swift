import Glibc
public import Postgres

/// A media store and the table that names its objects.
public struct MediaLibrary: Sendable {
    /// The objects checked by one statement of a sweep.
    static let sweepPage = 1000

    /// The store of the bytes.
    public let store: any MediaStore
    private let database: Database
    private let lookups: MediaLookups
    private let opened = OpenObjects()

    /// Does no I/O yet.
    public init(store: any MediaStore, database: Database) {
        self.store = store
        self.database = database
        lookups = MediaLookups { paths in
            try await database.withConnection { try MediaCatalog.find(paths, on: $0) }
        }
    }

    /// Commits a row that names an object as a file of a capture. It never replaces another user's
    /// file. For a row within a larger transaction use ``MediaCatalog``.
    ///
    /// - Parameters:
    ///   - id: the capture's id as the app sends it.
    ///   - owner: the user who uploads; nil when no user is known.
    ///   - within: the time limit, including the wait for a connection.
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

    /// The row of a path; nil when there is none. Opens nothing, which is enough for an answer
    /// without a body. The row is read after the call begins. Concurrent calls share statements.
    public func find(_ path: MediaPath) async throws -> MediaFile? {
        try await lookups.find(path)
    }

    /// Opens the content of a path; nil when the path has no row.
    ///
    /// - Throws: ``MediaStoreError/missing(_:)`` when the store has lost the object that the row
    ///   names, ``MediaStoreError/disk(operation:errno:)`` when it has another length.
    public func open(_ path: MediaPath) async throws -> StoredMedia? {
        guard let file = try await find(path) else { return nil }
        if let source = try await source(file.object) {
            return try Self.media(file, source)
        }
        // The path got another content after its row was read, and the sweeper removed the old one.
        guard let file = try await find(path) else { return nil }
        return try Self.media(file, try await store.open(file.object))
    }

    /// A damaged disk or an incomplete restore may leave fewer bytes than the row says.
    private static func media(
        _ file: MediaFile, _ source: any MediaSource
    ) throws(MediaStoreError) -> StoredMedia {
        guard source.bytes == file.bytes else { throw .disk(operation: "read", errno: EIO) }
        return StoredMedia(file: file, source: source)
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

    /// Removes replaced profile pictures, objects that no row names, and files and uploads that
    /// crashed processes left. Any number of nodes may sweep at the same time.
    ///
    /// A step or object that fails does not stop the others; see ``Postgres/FailingItems``.
    ///
    /// - Throws: if the database is unreachable, or after ``failuresMax`` failures.
    public func sweep() async throws -> SweepFigures {
        // A removed object that is still open here would keep its disk space.
        opened.closeAll()
        var figures = SweepFigures()
        var failing = try await database.withConnection { try FailingItems(.media, on: $0) }
        try await attempt("replaced pictures", &failing, &figures) { _ in
            while try await removeReplacedPictures() == Self.sweepPage {}
        }
        try await attempt("leftovers", &failing, &figures) { figures in
            figures.leftoversRemoved = try await store.removeLeftovers()
        }
        var isDone = false
        var last: ObjectName?
        while !isDone {
            let page = try await store.oldObjects(after: last, limit: Self.sweepPage)
            for failure in page.failures {
                try await attempt(failure.item, &failing, &figures) { _ in throw failure.error }
            }
            let named = try await named(among: page.objects)
            figures.objectsNamed += named.count
            for object in page.objects where !named.contains(object) {
                try Task.checkCancellation()
                try await attempt(object.text, &failing, &figures) { figures in
                    if try await store.removeOld(object) { figures.objectsRemoved += 1 }
                }
            }
            last = page.next
            isDone = page.next == nil
        }
        return figures
    }

    /// Failures of one sweep after which the store is to blame, not an object. The next sweep skips
    /// those that failed, and so gets further.
    private static let failuresMax = 100

    private static func isOfItem(_ error: any Error) -> Bool {
        !(error is CancellationError) && !PostgresError.isAway(error)
            && (error as? MediaStoreError) != .ended
    }

    private func attempt(
        _ item: String, _ failing: inout FailingItems, _ figures: inout SweepFigures,
        _ work: (inout SweepFigures) async throws -> Void
    ) async throws {
        guard !failing.rests(item) else {
            figures.failed += 1
            return
        }
        let known = failing
        do {
            try await work(&figures)
            guard failing.contains(item) else { return }
            failing = try await database.withConnection { connection in
                var failing = known
                try failing.succeeded(item, on: connection)
                return failing
            }
        } catch let error where Self.isOfItem(error) {
            figures.failed += 1
            failing = try await database.withConnection { connection in
                var failing = known
                try failing.failed(item, error, on: connection)
                return failing
            }
            figures.triedAndFailed += 1
            guard figures.triedAndFailed < Self.failuresMax else { throw error }
        }
    }

    /// - Returns: how many, at most ``sweepPage``.
    private func removeReplacedPictures() async throws -> Int {
        try await database.withConnection { connection in
            try connection.transaction(attempts: JournalLibrary.attemptsMax) {
                try JournalRecord.removeReplacedPictures(atMost: Self.sweepPage, on: connection)
            }
        }
    }

    private func named(among objects: [ObjectName]) async throws -> Set<ObjectName> {
        try await database.withConnection { try MediaCatalog.named(among: objects, on: $0) }
    }
}
