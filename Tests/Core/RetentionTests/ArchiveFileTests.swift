import Encodings
import Foundation
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)))
struct ArchiveFileTests {
    private static func withDirectory(_ body: (Archive) throws -> Void) throws {
        let path = TestCluster.freshDirectory() + "-files"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(Archive(ArchiveDirectory(path)))
    }

    private static func write(_ text: [UInt8], to archive: Archive) throws -> FileFacts {
        let writer = try archive.begin("a.copy.zst", id: "1")
        var rest = text[...]
        var size = 1
        while !rest.isEmpty {
            try Array(rest.prefix(size)).withUnsafeBytes { try writer.append($0) }
            rest = rest.dropFirst(size)
            size = size * 3 + 1
        }
        let facts = try writer.finish()
        var manifest = Self.manifest
        manifest.bytes = facts.bytes
        manifest.textBytes = facts.textBytes
        manifest.rows = facts.rows
        manifest.sha256 = Hexadecimal.text(facts.sha256)
        try archive.adopt(writer, manifest)
        return facts
    }

    private static let manifest = Manifest(
        id: "1", kind: "gps", day: "2025-01-01", part: 1, file: "a.copy.zst", columns: ["t"],
        rows: 0, firstTime: "", lastTime: "", textBytes: 0, bytes: 0, sha256: "",
        schemaVersion: 14, node: "n")

    /// What can't be looked at now is neither missing nor damaged nor somebody else's.
    @Test func `a manifest that can't be read decides nothing`() throws {
        try Self.withDirectory { archive in
            let facts = try Self.write([1, 2, 3], to: archive)
            let manifest = archive.location + "/a.json"
            let text = try Data(contentsOf: URL(filePath: manifest))
            try FileManager.default.removeItem(atPath: manifest)
            try FileManager.default.createSymbolicLink(
                atPath: manifest, withDestinationPath: manifest)
            let works: [() throws -> Void] = [
                { _ = try archive.begin("a.copy.zst", id: "1") },
                { _ = try archive.verify("a.copy.zst", id: "1") },
                { try archive.remove("a.copy.zst", id: "1") },
            ]
            for work in works {
                #expect {
                    try work()
                } throws: { error in
                    if case ArchiveError.disk = error { return true }
                    return false
                }
            }
            #expect(!archive.isWithout("a.copy.zst"))
            // That passes.
            try FileManager.default.removeItem(atPath: manifest)
            try text.write(to: URL(filePath: manifest))
            #expect(try archive.verify("a.copy.zst", id: "1").facts == facts)
        }
    }

    @Test(arguments: [1, 100, 262_143, 262_144, 262_145, 3_000_000])
    func `a written file reads back the same, whatever its size`(count: Int) throws {
        var dice = Dice(seed: UInt64(count))
        let text = dice.bytes(count)
        try Self.withDirectory { archive in
            let facts = try Self.write(text, to: archive)
            var back: [UInt8] = []
            let found = try ArchiveReader.read(
                "a.copy.zst", in: archive.store, .copyZstd
            ) {
                back.append(contentsOf: $0)
            }
            #expect(back == text)
            #expect(found == facts)
            #expect(facts.rows == text.count { $0 == 0x0A })
            #expect(try archive.verify("a.copy.zst", id: "1").facts == facts)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: archive.location).sorted()
                    == ["a.copy.zst", "a.json"])
        }
    }

    @Test func `every changed byte and every cut is detected`() throws {
        let text = Array("1\t2025-01-01 10:00:00+00\t52.5\t-0\t\\N\n".utf8)
        try Self.withDirectory { archive in
            _ = try Self.write(text, to: archive)
            let path = archive.location + "/a.copy.zst"
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            for index in whole.indices {
                var bad = whole
                bad[index] ^= 0x20
                try bad.write(to: URL(fileURLWithPath: path))
                #expect(throws: ArchiveError.self) { try archive.verify("a.copy.zst", id: "1") }
                try whole.prefix(index).write(to: URL(fileURLWithPath: path))
                #expect(throws: ArchiveError.self) { try archive.verify("a.copy.zst", id: "1") }
            }
            try (whole + [0]).write(to: URL(fileURLWithPath: path))
            #expect(throws: ArchiveError.damaged(path: path, .frame)) {
                try archive.verify("a.copy.zst", id: "1")
            }
            try whole.write(to: URL(fileURLWithPath: path))
            _ = try archive.verify("a.copy.zst", id: "1")
            try FileManager.default.removeItem(atPath: path)
            #expect(throws: ArchiveError.damaged(path: path, .missing)) {
                try archive.verify("a.copy.zst", id: "1")
            }
        }
    }

    @Test func `another database's file is not overwritten`() throws {
        try Self.withDirectory { archive in
            _ = try Self.write(Array("x\n".utf8), to: archive)
            #expect(throws: ArchiveError.foreign(path: archive.location + "/a.copy.zst")) {
                _ = try archive.begin("a.copy.zst", id: "2")
            }
            _ = try archive.begin("b.copy.zst", id: "1")
            try archive.remove("a.copy.zst", id: "2")
            _ = try archive.verify("a.copy.zst", id: "1")
            try archive.remove("a.copy.zst", id: "1")
            #expect(try FileManager.default.contentsOfDirectory(atPath: archive.location).isEmpty)
        }
    }

    @Test func `a missing directory is named, and not created`() throws {
        let parent = TestCluster.freshDirectory()
        for path in ["/proc/sluice/archive", parent + "/archive", "/etc/hostname"] {
            let fault = #expect(throws: ArchiveError.notThere(path: path)) {
                try ArchiveDirectory(path).demand()
            }
            #expect("\(fault!)".hasPrefix("\(path): there is no such directory. "))
        }
        #expect(!FileManager.default.fileExists(atPath: parent))
        try FileManager.default.createDirectory(
            atPath: parent + "/archive", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        try ArchiveDirectory(parent + "/archive").demand()
    }
}
