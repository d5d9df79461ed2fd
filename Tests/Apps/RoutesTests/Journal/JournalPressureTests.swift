import Foundation
import Ingest
import Instruments
import Media
import Postgres
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

/// Forms that are slow, cut off or too many, and faults in the layers below them.
@Suite(.timeLimit(.minutes(10))) struct JournalPressureTests {
    private static let form = FormBody.bytes([
        AppServer.text("mood", "m"),
        AppServer.file(JournalSamples.jpeg(bytes: 100_000, seed: 1)),
        AppServer.file(JournalSamples.jpeg(bytes: 100_000, seed: 2)),
    ])

    private static func head(_ bytes: Int = form.count) -> String {
        "POST \(AppServer.journal)/moods/swift HTTP/1.1\r\nHost: localhost\r\n"
            + FormBody.fields.map { $0 + "\r\n" }.joined() + "Content-Length: \(bytes)\r\n\r\n"
    }

    @Test func `a client that disconnects in the middle leaves no record and no name`()
        async throws
    {
        try await AppServer.with { server in
            for count in [0, 10, 300, 60_000, 100_500, 150_000, Self.form.count - 3] {
                try await onThread {
                    let client = try server.client()
                    try client.send(Self.head())
                    try client.send(Array(Self.form.prefix(count)))
                    client.close()
                }
                try await server.expectNothingUnderWay()
                #expect(try server.journalRows() == 0)
            }
        }
    }

    @Test func `a form that stops arriving is answered in the journal's envelope`() async throws {
        try await AppServer.with { configuration in
            configuration.bodyTimeout = .seconds(1)
            configuration.lingerTimeout = .seconds(2)
        } _: { server in
            try await onThread {
                let client = try server.client()
                // Sent at once, because a client that is still sending may not read the early
                // answer.
                try client.send(Array(Self.head().utf8) + Self.form.prefix(150_000))
                let answer = try client.receiveAnswer()
                server.expectFailure(answer, 408, details: "too slowly")
                try client.expectEnd()
            }
            try await server.expectNothingUnderWay()
            #expect(try server.journalRows() == 0)
        }
    }

    @Test func `one form too many gets a time to retry`() async throws {
        try await AppServer.with(access: { _ in }, routes: { $0.uploadsMax = 1 }) { server in
            let waiting = try await onThread {
                let client = try server.client()
                try client.send(Self.head())
                try client.send(Array(Self.form.prefix(1000)))
                return client
            }
            while !server.registry.render().contains("\nsluice_uploads 1\n") {
                try await Task.sleep(for: .milliseconds(5))
            }
            // Captures and the journal share the slots.
            for path in ["\(AppServer.journal)/moods/swift", "/upload/a"] {
                let answer = try await server.ask(
                    "POST", path, FormBody.fields, host: "localhost:81", body: Self.form)
                #expect(answer.status == 503)
                #expect(Int(answer.headers["retry-after"] ?? "").map { $0 > 0 } == true)
                if path.hasPrefix("/api") { server.expectFailure(answer, 503) }
            }
            try await onThread {
                try waiting.send(Array(Self.form.dropFirst(1000)))
                #expect(try waiting.receiveAnswer().status == 200)
            }
            try await server.expectNothingUnderWay()
        }
    }

    @Test(
        arguments: BrokenStore.Stage.allCases,
        [(MediaStoreError.full, 507), (.unavailable(attempts: 3), 503)])
    func `a failing store is reported, and no record is made`(
        stage: BrokenStore.Stage, failure: (MediaStoreError, Int)
    ) async throws {
        try await AppServer.with(store: { BrokenStore($0, stage, failure.0) }) { server in
            let answer = try await server.post(
                "moods", [AppServer.text("mood", "m"), AppServer.file(JournalSamples.jpeg)])
            server.expectFailure(answer, failure.1)
            #expect((answer.headers["retry-after"] != nil) == (failure.1 == 503))
            #expect(try server.journalRows() == 0)
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `without its database the journal says so with a time to retry`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload()
            server.database.close()
            server.sink.set(.answer(.unavailable(retryAfter: .seconds(5))))
            let posted = try await server.post("moods", [AppServer.text("mood", "m")])
            server.expectFailure(posted, 503)
            #expect(posted.headers["retry-after"] != nil)
            for path in [
                AppServer.journal + "/moods", "\(AppServer.journal)/moods/\(file.id)",
            ] {
                let answer = try await server.ask("GET", path)
                server.expectFailure(answer, 503)
                #expect(answer.headers["retry-after"] != nil)
            }
            server.expectFailure(try await server.ask("DELETE", file.path), 503)
        }
    }

    @Test func `a sweep removes files that no record names, and keeps the others`() async throws {
        try await AppServer.with { server in
            let file = try await server.upload(JournalSamples.jpeg(bytes: 5000, seed: 9))
            // A form whose server died after it had stored the files and before the record.
            let writer = try await server.library.store.begin()
            try await writer.write(JournalSamples.jpeg(bytes: 6000, seed: 8).span.bytes)
            _ = try await writer.finish()
            #expect(try server.files().objects == 2)
            let store = try DirectoryStore(path: server.directory, graceTime: .zero, threads: 1)
            let library = MediaLibrary(store: store, database: server.database)
            // File times come from a coarse clock with a resolution of one second.
            try await Task.sleep(for: .milliseconds(1100))
            let figures = try await library.sweep()
            #expect(figures.objectsRemoved == 1 && figures.objectsNamed == 1)
            await store.shutdown()
            #expect(try await server.download(file.path).content.count == 5000)
        }
    }
}
