import Encodings
import Foundation
import NIOCore
import Postgres
import Readings
import S3
import S3Support
import TestSupport
import Testing

@testable import Retention

/// The archive in a bucket of a server that speaks S3.
@Suite(
    .timeLimit(.minutes(10)), .serialized,
    .enabled(if: MotoServer.absence == nil, "moto_server is not installed"))
struct ArchiveBucketTests {
    private static let credentials = S3Credentials(accessKeyID: "test", secretAccessKey: "test")

    private static func rig(_ bucket: S3Bucket) throws -> Rig {
        var rig = try Rig(location: bucket.location)
        rig.configuration.credentials = credentials
        return rig
    }

    private static func freshRig() async throws -> Rig {
        try rig(try await MotoServer.shared.freshBucket(prefix: "a/b"))
    }

    private static func unfinished(_ bucket: S3Bucket) async throws -> [S3Entry] {
        try await S3Client(bucket, credentials: credentials).uploads(under: "").entries
    }

    /// With a directory of its own, where no file may be.
    @Test func `days are archived, verified and restored bit by bit`() async throws {
        let bucket = try await MotoServer.shared.freshBucket(prefix: "a/b")
        let rig = try Self.rig(bucket)
        defer { rig.discard() }
        var rows = RandomRows(seed: 9)
        for ago in [31, 32] { try rows.store(300, on: rig.day(ago: ago), rig.connection) }
        let before = try rig.bits()
        let report = try rig.run()
        let kinds = ReadingKind.allCases.count
        #expect(report.failures.isEmpty && report.archived.count == 2 * kinds)
        #expect(try rig.count("sluice.event") == 0)
        #expect(rig.files().count == 4 * kinds)
        let name = "gps_\(rig.day(ago: 31).compactText)"
        #expect(rig.files().contains(name + ".csv.zst") && rig.files().contains(name + ".json"))
        let verification = ArchiveVerification(try rig.archive)
        for part in try ArchiveCatalog.parts(on: rig.connection) {
            #expect(try verification.verify(part).rows == 300)
            #expect(part.origin == "\(bucket.location) on test")
        }
        for outcome in try rig.restore() { #expect(outcome == .restored(rows: 300)) }
        #expect(try rig.bits() == before)
        // They leave again, and the files of before are removed.
        try rig.connection.execute("UPDATE sluice.archive SET keep_until = now()")
        #expect(try rig.run().failures.isEmpty)
        #expect(rig.files().count == 4 * kinds && rig.files().contains(name + "-2.csv.zst"))
        try rig.restore()
        #expect(try rig.bits() == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.directory).isEmpty)
    }

    @Test(arguments: DepartureStep.allCases)
    func `a crash before any step loses nothing, and the next run continues`(
        step: DepartureStep
    ) async throws {
        let rig = try await Self.freshRig()
        defer { rig.discard() }
        try rig.checkCrash(before: step)
    }

    /// With the lines of `deploy/README.md`.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: ArchiveBucketTests.python),
            "there is no .build-python"))
    func `pyarrow and DuckDB read a file of the bucket`() async throws {
        let bucket = try await MotoServer.shared.freshBucket(prefix: "a/b")
        let rig = try Self.rig(bucket)
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        let guide = try String(
            contentsOf: Project.file("deploy/README.md"), encoding: .utf8)
        let code = try #require(guide.split(separator: "```python\n").dropFirst().first)
            .prefix { $0 != "`" }
            .replacing("https://s3.example.org", with: MotoServer.shared.endpoint)
            .replacing("health-archive/sluice", with: "\(bucket.name)/a/b")
            .replacing("gps_20260101", with: "gps_\(rig.day(ago: 31).compactText)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = ["-c", String(code)]
        process.environment = ["AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: data, as: UTF8.self) == "[(None, 1, 0)]\n")
    }

    private static let python = Project.file(".build-python/bin/python3").path()

    @Test func `a file that a crash left without a manifest is erased`() async throws {
        let rig = try await Self.freshRig()
        defer { rig.discard() }
        try rig.checkErasureOfLeftover()
    }

    @Test func `a device is removed from all files`() async throws {
        let rig = try await Self.freshRig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31), device: 1)
        try rig.store(rig.day(ago: 31), device: 2)
        try rig.store(rig.day(ago: 32), device: 2)
        try rig.run()
        let session = try #require(try ArchiveSession(rig.connection))
        let report = try ArchiveErasure(session, try rig.archive).erase(deviceKeys: [2])
        #expect(report.failures.isEmpty)
        #expect(report.filesRead == 6 && report.filesRewritten == 6 && report.rowsRemoved == 6)
        #expect(rig.files().count == 6)
        #expect(rig.files().contains("gps_\(rig.day(ago: 31).compactText).2.csv.zst"))
        session.end()
        try rig.restore()
        #expect(try rig.count("sluice.event") == 1)
        #expect(try rig.count("sluice.event WHERE device_key = 2") == 0)
    }

    /// Random bytes don't get smaller, so this file has two whole parts and a rest.
    @Test func `a large file is sent in parts while it is written`() async throws {
        let bucket = try await MotoServer.shared.freshBucket()
        let archive = Archive(
            ArchiveBucket(bucket, credentials: Self.credentials, partBytes: 5 << 20))
        var dice = Dice(seed: 5)
        let text = dice.bytes(12 << 20)
        let writer = try archive.begin("gps_20250101.copy.zst", id: "1")
        for start in stride(from: 0, to: text.count, by: 100_000) {
            try text[start..<min(text.count, start + 100_000)].withUnsafeBytes {
                try writer.append($0)
            }
        }
        let facts = try writer.finish()
        #expect(try await Self.unfinished(bucket).count == 1)
        #expect(try archive.store.names(prefix: "").isEmpty)
        var manifest = Manifest(
            id: "1", kind: "gps", day: "2025-01-01", part: 1, file: "gps_20250101.copy.zst",
            columns: ["t"], rows: 0, firstTime: "", lastTime: "", textBytes: 0, bytes: 0,
            sha256: "", schemaVersion: 14, node: "n")
        manifest.set(facts)
        try archive.adopt(writer, manifest)
        #expect(try archive.verify(manifest.file, id: "1").facts == facts)
        #expect(try await Self.unfinished(bucket).isEmpty)
        // A file that is given up leaves nothing.
        do {
            let other = try archive.begin("gps_20250102.copy.zst", id: "2")
            try text.withUnsafeBytes { try other.append($0) }
            #expect(try await Self.unfinished(bucket).count == 1)
        }
        #expect(try await Self.unfinished(bucket).isEmpty)
    }

    @Test func `an upload that a crash left is dropped, and that of an app is not`() async throws {
        let bucket = try await MotoServer.shared.freshBucket()
        let rig = try Self.rig(bucket)
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        let client = S3Client(bucket, credentials: Self.credentials)
        for key in ["gps_20250101.csv.zst", "objects/ab/cd"] {
            _ = try await S3Upload.begin(key, client)
        }
        #expect(try rig.run().archived.count == 3)
        #expect(try await Self.unfinished(bucket).map(\.key) == ["objects/ab/cd"])
    }

    /// What another process has stored meanwhile is never overwritten.
    @Test func `a file that appears while its own is written stays`() async throws {
        let bucket = try await MotoServer.shared.freshBucket()
        let archive = Archive(ArchiveBucket(bucket, credentials: Self.credentials))
        let client = S3Client(bucket, credentials: Self.credentials)
        let name = "gps_20250101.csv.zst"
        let writer = try archive.begin(name, id: "1")
        _ = try writer.finish()
        try await client.put(.bytes(ByteBuffer(string: "theirs")), at: name)
        #expect(throws: ArchiveError.busy) { try writer.draft.publish() }
        #expect(try archive.store.contents(of: name, bytesMax: 100) == Array("theirs".utf8))
    }

    @Test func `a bucket belongs to the database that used it first`() async throws {
        let bucket = try await MotoServer.shared.freshBucket(prefix: "p")
        let (first, second) = (try Self.rig(bucket), try Self.rig(bucket))
        defer { for rig in [first, second] { rig.discard() } }
        for rig in [first, second] { try rig.store(rig.day(ago: 31)) }
        #expect(try first.run().failures.isEmpty)
        let mark = "s3://\(bucket.name)/p/\(ArchiveBucket.ownerName)"
        #expect(throws: ArchiveError.owned(location: bucket.location, mark: mark)) {
            try second.run()
        }
        #expect(try second.states().isEmpty)
        #expect(first.files().count == 6)
        try first.store(first.day(ago: 32))
        #expect(try first.run().archived.count == 3)
    }

    @Test func `an unreachable bucket drops nothing, and the next run continues`() async throws {
        let proxy = FaultyProxy(to: MotoServer.shared.port, plan: [.status(403), .none])
        let bucket = try await MotoServer.shared.freshBucket(
            endpoint: "http://127.0.0.1:\(proxy.port)")
        var rig = try Self.rig(bucket)
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        #expect(
            throws: ArchiveError.bucket(
                location: bucket.location, .refused(status: 403, code: ""))
        ) { try rig.run() }
        #expect(try rig.states().isEmpty)
        #expect(try rig.run().failures.isEmpty)
        // Nobody listens there.
        let location = rig.configuration.archiveDirectory
        rig.configuration.archiveDirectory = "s3://bucket?endpoint=http://127.0.0.1:1"
        try rig.store(rig.day(ago: 32))
        let error = #expect(throws: ArchiveError.self) { try rig.run() }
        #expect("\(error!)".contains("no usable answer in 5 attempts"))
        #expect(error?.isUnreachable == true)
        #expect(try rig.count("sluice.gps") == 1)
        rig.configuration.archiveDirectory = location
        #expect(try rig.run().archived.count == 3)
        try rig.restore()
        #expect(try rig.count("sluice.gps") == 2)
    }

    @Test func `a bucket whose files are all gone is not taken for an empty one`() async throws {
        let bucket = try await MotoServer.shared.freshBucket()
        let rig = try Self.rig(bucket)
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        for name in rig.files() { try rig.archive.store.remove(name) }
        try rig.store(rig.day(ago: 32))
        #expect(throws: ArchiveError.emptied(path: bucket.location)) { try rig.run() }
        #expect(try rig.count("sluice.gps") == 1)
    }

    /// The answer to what makes the file is lost, and the one that makes its manifest.
    @Test func `lost answers cost nothing`() async throws {
        let proxy = FaultyProxy(to: MotoServer.shared.port, plan: [.none])
        let bucket = try await MotoServer.shared.freshBucket(
            endpoint: "http://127.0.0.1:\(proxy.port)")
        let archive = Archive(ArchiveBucket(bucket, credentials: Self.credentials))
        let flaky = FaultyProxy(
            to: MotoServer.shared.port, plan: [.cut(after: 0), .none, .cut(after: 0), .none])
        let text = bucket.location.replacing("\(proxy.port)", with: "\(flaky.port)")
        guard case .bucket(let other) = try StoreLocation.parse(text) else { fatalError(text) }
        let store = ArchiveBucket(other, credentials: Self.credentials)
        let draft = try store.begin("gps_20250101.csv.zst")
        try Array("abc".utf8).withUnsafeBytes { try draft.append($0) }
        try draft.publish()
        let contents = try archive.store.contents(of: "gps_20250101.csv.zst", bytesMax: 10)
        #expect(contents == Array("abc".utf8))
        #expect(flaky.requests.filter { $0.hasPrefix("PUT") }.count == 2)
    }
}
