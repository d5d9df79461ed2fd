import Auth
import Foundation
import Instruments
import Media
import NIOCore
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import Uploads

/// Uploads that are slow, many, large or cut off.
@Suite(.timeLimit(.minutes(10))) struct UploadPressureTests {
    private static func head(_ id: String, bytes: Int, more: String = "") -> String {
        "POST /upload/\(id) HTTP/1.1\r\nHost: localhost\r\n\(FormBody.field)\r\n"
            + "X-API-Key: \(AppServer.key)\r\nContent-Length: \(bytes)\r\n\(more)\r\n"
    }

    @Test func `a client that expects a 100 for fifty mebibytes gets it`() async throws {
        try await AppServer.with { server in
            let content = FormBody.jpeg(50 << 20)
            let body = FormBody.photo(content)
            try await onThread {
                let client = try server.client()
                try client.send(
                    Self.head("large", bytes: body.count, more: "Expect: 100-continue\r\n"))
                #expect(try client.receiveAnswer().status == 100)
                try client.send(body)
                #expect(try client.receiveAnswer().status == 200)
            }
            let bytes = try server.value("select bytes::text from sluice.media_file")
            #expect(bytes == "\(content.count)")
        }
    }

    @Test func `uploads of all sizes, one after the other on one connection, arrive whole`()
        async throws
    {
        try await AppServer.with { server in
            let around = [16 << 10, 32 << 10, 64 << 10, 128 << 10]
            let sizes = around.flatMap { [$0 - 400, $0 - 1, $0, $0 + 1] } + [1_300_000]
            try await onThread {
                let client = try server.client()
                for (number, size) in sizes.enumerated() {
                    let body = FormBody.photo(FormBody.jpeg(size, seed: UInt8(number + 1)))
                    try client.send(Self.head("s\(number)", bytes: body.count))
                    // In pieces that end anywhere; small pieces as separate packets.
                    var rest = body[...]
                    var step = number % 2 == 0 ? 7001 : 300_007
                    while !rest.isEmpty {
                        try client.send(Array(rest.prefix(step)))
                        rest = rest.dropFirst(step)
                        step = step / 2 + 50_000
                    }
                    #expect(try client.receiveAnswer().status == 200, "\(size) bytes")
                }
            }
            for (number, size) in sizes.enumerated() {
                let path = try #require(MediaPath("memories/s\(number)/photo.jpg"))
                let media = try #require(try await server.library.open(path))
                let content = try await media.source.contents().readableBytesView
                let sent = FormBody.jpeg(size, seed: UInt8(number + 1))
                #expect(content.elementsEqual(sent), "\(size) bytes")
            }
            try await server.expectNothingUnderWay()
        }
    }

    /// The documentation of `SLUICE_UPLOADS_MAX` says that an upload takes up to 300 KiB.
    @Test func `while the store can't write, only a little is read`() async throws {
        let isOpen = Atomic(false)
        try await AppServer.with(store: { store in
            BrokenStore(store) { stage throws(MediaStoreError) in
                while stage == .write, !isOpen.load(ordering: .relaxed), !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
        }) { server in
            let body = FormBody.photo(FormBody.jpeg(20 << 20))
            let answer = Task {
                try await onThread {
                    let client = try server.client()
                    try client.send(Self.head("large", bytes: body.count))
                    try client.send(body)
                    return try client.receiveAnswer().status
                }
            }
            func received() -> Int {
                let line = server.registry.render().split(separator: "\n").first {
                    $0.hasPrefix("sluice_http_received_bytes_total ")
                }
                return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
            }
            defer { isOpen.store(true, ordering: .relaxed) }
            let hasBegun = try await eventually { received() > 1000 }
            #expect(hasBegun)
            // One violation is enough, so checking late does not matter.
            for _ in 0..<100 {
                try await Task.sleep(for: .milliseconds(10))
                try #require(received() <= 300 << 10)
            }
            isOpen.store(true, ordering: .relaxed)
            #expect(try await answer.value == 200)
        }
    }

    @Test func `an upload that is refused in its middle leaves nothing`() async throws {
        try await AppServer.with(routes: { $0.captureBytesMax = 100_000 }) { server in
            let body = FormBody.photo(FormBody.jpeg(1_000_000))
            try await onThread {
                let client = try server.client()
                try client.send(Self.head("large", bytes: body.count))
                try client.send(Array(body.prefix(500_000)))
                #expect(try client.receiveAnswer().status == 413)
            }
            try await server.expectNothingUnderWay()
            #expect(try server.files().objects == 0)
        }
    }

    @Test func `an upload that stops arriving is answered in its envelope, and nothing is kept`()
        async throws
    {
        try await AppServer.with { configuration in
            configuration.bodyTimeout = .milliseconds(300)
            configuration.lingerTimeout = .milliseconds(300)
        } _: { server in
            let body = FormBody.photo()
            try await onThread {
                let client = try server.client()
                // Sent at once, because a client that is still sending may not read the early
                // answer.
                let head = Array(Self.head("stuck", bytes: body.count).utf8)
                try client.send(head + body.prefix(1500))
                let answer = try client.receiveAnswer()
                #expect(answer.status == 408)
                #expect(
                    answer.body == #"{"status":"error","error":"upload failed: "#
                        + #"The body came too slowly"}"#)
                try client.expectEnd()
            }
            try await server.expectNothingUnderWay()
            #expect(try server.files().objects == 0)
        }
    }

    @Test func `a client that disconnects in the middle leaves nothing`() async throws {
        try await AppServer.with { server in
            let body = FormBody.photo(FormBody.jpeg(500_000))
            for count in [0, 1, 200, 100_000, body.count - 10] {
                try await onThread {
                    let client = try server.client()
                    try client.send(Self.head("gone", bytes: body.count))
                    try client.send(Array(body.prefix(count)))
                    client.close()
                }
                try await server.expectNothingUnderWay()
            }
            #expect(try server.files().objects == 0)
        }
    }

    @Test func `one upload too many gets a time to retry`() async throws {
        let open = "localhost:81"
        try await AppServer.with(access: { _ in }, routes: { $0.uploadsMax = 2 }) { server in
            let body = FormBody.photo()
            let waiting = try await onThread {
                try (0..<2).map { number in
                    // One address would not get both places.
                    let client = try TCPClient(port: server.port, from: "127.0.0.\(2 + number)")
                    try client.send(Self.head("w\(number)", bytes: body.count))
                    try client.send(Array(body.prefix(100)))
                    return client
                }
            }
            while !server.registry.render().contains("\nsluice_uploads 2\n") {
                try await Task.sleep(for: .milliseconds(5))
            }
            let answer = try await server.ask(
                "POST", "/upload/c", FormBody.fields, host: open, body: body)
            #expect(answer.status == 503)
            #expect(answer.json?["status"] as? String == "error")
            #expect(Int(answer.headers["retry-after"] ?? "").map { (1...3).contains($0) } == true)
            try await onThread {
                for client in waiting {
                    try client.send(Array(body.dropFirst(100)))
                    #expect(try client.receiveAnswer().status == 200)
                }
            }
            try await server.expectNothingUnderWay()
            let later = try await server.ask(
                "POST", "/upload/c", FormBody.fields, host: open, body: body)
            #expect(later.status == 200)
        }
    }

    @Test func `one caller leaves slots for others`() async throws {
        let second = "another key of the tests"
        try await AppServer.with(
            access: { $0.applicationKeys = "\(AppServer.key),\(second)" },
            routes: { $0.uploadsMax = 5 }
        ) { server in
            let body = FormBody.photo()
            let waiting = try await onThread {
                try (0..<4).map { number in
                    let client = try server.client()
                    try client.send(Self.head("w\(number)", bytes: body.count))
                    try client.send(Array(body.prefix(100)))
                    return client
                }
            }
            while !server.registry.render().contains("\nsluice_uploads 4\n") {
                try await Task.sleep(for: .milliseconds(5))
            }
            let fifth = try await server.ask("POST", "/upload/c", FormBody.fields, body: body)
            #expect(fifth.status == 429)
            #expect(fifth.headers["retry-after"] != nil)
            let other = try await server.ask(
                "POST", "/upload/d", [FormBody.field, "X-API-Key: \(second)"], body: body)
            #expect(other.status == 200)
            try await onThread { for client in waiting { client.close() } }
            try await server.expectNothingUnderWay()
            let later = try await server.ask("POST", "/upload/c", FormBody.fields, body: body)
            #expect(later.status == 200)
        }
    }

    @Test(arguments: [
        (MediaStoreError.full, 507, "the media store is full"),
        (.disk(operation: "write", errno: 5), 500, "the media store failed"),
        (.unavailable(attempts: 3), 503, "the media store is not available"),
        (.refused(status: 403, code: "AccessDenied"), 500, "the media store failed"),
    ])
    func `a failing store is reported, and no file is named`(
        error: MediaStoreError, status: Int, sentence: String
    ) async throws {
        for stage in BrokenStore.Stage.allCases {
            try await AppServer.with(store: { BrokenStore($0, stage, error) }) { server in
                let answer = try await server.ask(
                    "POST", "/upload/a", FormBody.fields, body: FormBody.photo())
                #expect(answer.status == status, "\(stage)")
                #expect(answer.json?["error"] as? String == "upload failed: " + sentence)
                #expect((answer.headers["retry-after"] != nil) == (status == 503))
                #expect(try server.value("select count(*)::text from sluice.media_file") == "0")
                try await server.expectNothingUnderWay()
            }
        }
    }

    @Test func `uploads stop while the disk is nearly full, and go on when there is room`()
        async throws
    {
        let free = Atomic(Int(0))
        try await AppServer.with(
            routes: { $0.freeBytesMin = 1 << 30 },
            store: { store in
                BrokenStore(
                    store, space: FreeSpace { (1 << 30) + free.load(ordering: .relaxed) })
            }
        ) { server in
            let body = FormBody.photo(FormBody.jpeg(2 << 20))
            func room(_ bytes: Int) async throws {
                free.store(bytes, ordering: .relaxed)
                let isSeen = try await eventually {
                    server.library.store.space.bytes == (1 << 30) + bytes
                }
                #expect(isSeen)
            }
            func announce() async throws -> ParsedAnswer {
                try await onThread {
                    let client = try server.client()
                    try client.send(Self.head("a", bytes: body.count))
                    return try client.receiveAnswer()
                }
            }
            // The announced body does not fit, so the server does not wait for it.
            for bytes in [0, 1 << 20] {
                try await room(bytes)
                let answer = try await announce()
                #expect(answer.status == 507)
                #expect(answer.headers["retry-after"] != nil)
                #expect(
                    answer.body == #"{"status":"error","error":"upload failed: "#
                        + #"the disk for uploads is nearly full, come again later"}"#)
            }
            try await room(3 << 20)
            let stored = try await server.ask("POST", "/upload/a", FormBody.fields, body: body)
            #expect(stored.status == 200)
            // A chunked body announces no length, and the room shrinks meanwhile.
            try await onThread {
                let client = try server.client()
                try client.send(
                    Self.head("b", bytes: 0).replacing(
                        "Content-Length: 0", with: "Transfer-Encoding: chunked"))
                try client.send("64\r\n" + String(decoding: body.prefix(100), as: UTF8.self))
                free.store(0, ordering: .relaxed)
                for _ in 0..<10 {
                    Thread.sleep(forTimeInterval: 0.2)
                    try? client.send("\r\n1\r\nx")
                }
                #expect(try client.receiveAnswer().status == 507)
            }
            let journal = try await server.post(
                "moods", [AppServer.text("mood", "m"), AppServer.file(JournalSamples.jpeg)])
            server.expectFailure(journal, 507)
            try await server.expectNothingUnderWay()
        }
    }

    @Test func `a caller that has used up a day's share waits, and nobody else`() async throws {
        let (own, other) = ("localhost:81", "X-API-Key: \(AppServer.key)")
        try await AppServer.with(
            access: { _ in }, routes: { $0.uploadFilesPerDay = 2 }
        ) { server in
            func upload() async throws -> ParsedAnswer {
                try await server.ask(
                    "POST", "/upload/a", [FormBody.field], host: own, body: FormBody.photo())
            }
            #expect(try await upload().status == 200)
            #expect(try await upload().status == 200)
            let third = try await upload()
            #expect(third.status == 429)
            #expect(Int(third.headers["retry-after"] ?? "").map { $0 > 60 } == true)
            // Without a token an address could give itself any name.
            let journal = try await server.ask(
                "POST", "/api/users/user/eve/moods/swift", [FormBody.field], host: own,
                body: FormBody.bytes([AppServer.text("mood", "m")]))
            #expect(journal.status == 429)
        }
        try await AppServer.with(routes: { $0.uploadFilesPerDay = 1 }) { server in
            for _ in 0..<3 {
                let answer = try await server.ask(
                    "POST", "/upload/a", [FormBody.field, other], body: FormBody.photo())
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `a database that does not answer is reported within five seconds`() async throws {
        try await AppServer.with { server in
            let lock = try Connection.open(server.settings, deadline: .now + .seconds(120))
            defer { lock.close() }
            try lock.execute("begin; lock table sluice.media_file in access exclusive mode")
            let start = ContinuousClock.now
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo())
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
            // A client waits 30 s.
            #expect(ContinuousClock.now - start < .seconds(25))
            try lock.execute("rollback")
        }
    }

    @Test func `an unreachable database is a 503`() async throws {
        try await AppServer.with { server in
            server.database.close()
            let answer = try await server.ask(
                "POST", "/upload/a", FormBody.fields, body: FormBody.photo())
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
            #expect(answer.json?["error"] as? String == "upload failed: Database unavailable")
            try await server.expectNothingUnderWay()
        }
    }
}
