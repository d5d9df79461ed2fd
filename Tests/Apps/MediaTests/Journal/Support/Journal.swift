import Foundation
import Media
import NIOCore
import Postgres
import TestSupport
import Testing

/// A library over a store and a database of one test.
struct Journal {
    static let filesURL = "https://host.example/api/users/user/u1/multimedia/files/"

    let scratch: Scratch
    let store: DirectoryStore
    let settings: ConnectionSettings
    let database: Database
    let inspector: Inspector
    let library: JournalLibrary
    let media: MediaLibrary

    init(
        _ configuration: JournalConfiguration = JournalConfiguration(),
        inspector: Inspector = .forTests(), graceTime: Duration = .seconds(100)
    ) throws {
        scratch = Scratch()
        store = try DirectoryStore(
            path: scratch.path + "/media", graceTime: graceTime, threads: 4)
        settings = try TestCluster.shared.freshDatabase(named: "journal")
        database = Database(settings)
        self.inspector = inspector
        library = JournalLibrary(
            store: store, database: database, inspector: inspector, configuration: configuration)
        media = MediaLibrary(store: store, database: database)
    }

    /// The same store and database with another inspector.
    init(sharing other: Journal, inspector: Inspector) {
        (scratch, store, settings) = (other.scratch, other.store, other.settings)
        (database, media, self.inspector) = (other.database, other.media, inspector)
        library = JournalLibrary(store: store, database: database, inspector: inspector)
    }

    /// Reads a body in chunks of `chunk` bytes.
    func read(
        _ kind: JournalKind, _ body: [UInt8], user: String = "u1", keepLocation: Bool = false,
        chunk: Int = 4096
    ) async throws -> JournalEntry {
        let boundary = try MultipartBoundary(
            contentType: "multipart/form-data; boundary=\(FormBody.boundary)")
        var intake = library.intake(
            kind, for: InspectionClient(user: user), boundary: boundary,
            keepLocation: keepLocation)
        do {
            for start in stride(from: 0, to: body.count, by: chunk) {
                let end = min(start + chunk, body.count)
                try await intake.take(ByteBuffer(bytes: body[start..<end]))
            }
            return try await intake.finish()
        } catch {
            await intake.abort()
            throw error
        }
    }

    /// Reads a body and commits it.
    func create(
        _ kind: JournalKind, user: String = "u1", keepLocation: Bool = false, chunk: Int = 4096,
        _ build: (inout FormBody) throws -> Void
    ) async throws -> Data {
        let entry = try await read(
            kind, try FormBody.make(build), user: user, keepLocation: keepLocation, chunk: chunk)
        return Data(try await commit(entry, user: user).utf8)
    }

    /// Commits an entry as a lane does, and returns its answer.
    @discardableResult
    func commit(_ entry: JournalEntry, user: String = "u1") async throws -> String {
        let record = try await library.record(entry, user: user)
        _ = try await database.withConnection { connection in
            try connection.transaction(attempts: 3) { try record.unit.write(on: connection) }
        }
        return try record.answer(
            filesURL: Self.filesURL, errors: entry.problems.map { "\($0.name): \($0.fault)" })
    }

    /// The failure of a body that creates nothing.
    func failure(
        _ kind: JournalKind, chunk: Int = 4096, _ build: (inout FormBody) throws -> Void
    ) async throws -> JournalFailure? {
        do {
            _ = try await read(kind, try FormBody.make(build), chunk: chunk)
            return nil
        } catch let failure as JournalFailure {
            return failure
        }
    }

    /// Uploads a file and returns the journal's record of it.
    func upload(_ content: [UInt8], user: String = "u1") async throws -> JournalFile {
        let upload = try await create(.upload, user: user) { $0.file("file", content) }
            .decoded(AppUpload.self)
        return try #require(
            try await library.find(file: upload.files[0].data.fileId, user: user))
    }

    /// A thumbnail of a file.
    func thumbnail(_ file: JournalFile, _ width: Int) async throws -> ThumbnailOutcome {
        try await library.thumbnail(
            of: file, width: try #require(ThumbnailWidth("\(width)")),
            for: InspectionClient(user: file.user))
    }

    /// The contents behind a file's URL.
    func contents(_ url: String, user: String = "u1") async throws -> [UInt8]? {
        let id = String(url.dropFirst(Self.filesURL.count))
        guard let file = try await library.find(file: id, user: user),
            let media = try await library.open(file)
        else { return nil }
        return Array(buffer: try await media.source.contents())
    }

    func count(_ table: String) async throws -> Int {
        try await database.withConnection {
            Int(try $0.query("select count(*) from sluice.\(table)").int64(0, 0))
        }
    }
}

extension Data {
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: self)
    }

    func object() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: self) as? [String: Any])
    }
}

extension String {
    func object() throws -> [String: Any] { try Data(utf8).object() }
}
