import Foundation
import Testing

@testable import Server

@Suite struct IngestKeyFileTests {
    private let directory: String

    init() throws {
        directory = NSTemporaryDirectory() + "/sluice-key-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    @Test func `a key is created once, readable by its owner only`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = IngestKeyFile(path: directory + "/ingest.key")
        let made = try file.load()
        let read = try file.load()
        #expect(made.origin == .made && read.origin == .read)
        #expect(made.key == read.key)
        #expect(made.key.revealed().hasPrefix("slk_"))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["ingest.key"])
    }

    @Test(arguments: ["", "\n", "two,keys\n", "schlüssel\n"])
    func `a file without a key is not replaced`(content: String) throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/ingest.key"
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: StartFailure.keyFileUnusable(path: path)) {
            try IngestKeyFile(path: path).load()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
    }
}
