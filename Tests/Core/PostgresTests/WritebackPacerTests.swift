import Foundation
import Testing

@testable import Postgres

@Suite struct WritebackPacerTests {
    /// A directory with one database of `count` files of `bytes` each.
    private final class Tables {
        let base: URL
        let files: [URL]
        private var changes = 0

        init(_ count: Int, bytes: Int) throws {
            base = FileManager.default.temporaryDirectory
                .appendingPathComponent("pacer-\(UUID().uuidString)")
            let database = base.appendingPathComponent("16384")
            try FileManager.default.createDirectory(
                at: database, withIntermediateDirectories: true)
            files = (0..<count).map { database.appendingPathComponent("\(20_000 + $0)") }
            for file in files { try Data(count: bytes).write(to: file) }
        }

        deinit { try? FileManager.default.removeItem(at: base) }

        func extend(_ place: Int) throws {
            let handle = try FileHandle(forWritingTo: files[place])
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(count: 8192))
            try handle.close()
            // Two changes within one tick of the file system's clock would look like one.
            changes += 1
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: Double(changes))],
                ofItemAtPath: files[place].path)
        }

        var pacer: WritebackPacer { WritebackPacer(directory: base.path) }
    }

    @Test func `writeback of a file is started once for each change`() throws {
        let tables = try Tables(3, bytes: WritebackPacer.bytesMin)
        var pacer = tables.pacer
        #expect(pacer.pace() == 3)
        #expect(pacer.pace() == 0)
        try tables.extend(1)
        #expect(pacer.pace() == 1)
        #expect(pacer.pace() == 0)
    }

    @Test func `small files are ignored until they are large`() throws {
        let tables = try Tables(2, bytes: WritebackPacer.bytesMin - 8192)
        var pacer = tables.pacer
        #expect(pacer.pace() == 0)
        try tables.extend(0)
        #expect(counts(&pacer, calls: WritebackPacer.surveyEvery) == 1)
    }

    @Test func `files without writes for a long time are ignored`() throws {
        let tables = try Tables(2, bytes: WritebackPacer.bytesMin)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)],
            ofItemAtPath: tables.files[0].path)
        var pacer = tables.pacer
        #expect(pacer.pace() == 1)
        // After a new write, the next survey finds the file.
        try tables.extend(0)
        #expect(counts(&pacer, calls: WritebackPacer.surveyEvery) == 1)
    }

    @Test func `a removed file does no harm`() throws {
        let tables = try Tables(2, bytes: WritebackPacer.bytesMin)
        var pacer = tables.pacer
        #expect(pacer.pace() == 2)
        try FileManager.default.removeItem(at: tables.files[0])
        try tables.extend(1)
        #expect(pacer.pace() == 1)
        try FileManager.default.removeItem(at: tables.base)
        #expect(counts(&pacer, calls: WritebackPacer.surveyEvery + 1) == 0)
    }

    private func counts(_ pacer: inout WritebackPacer, calls: Int) -> Int {
        var told = 0
        for _ in 0..<calls { told += pacer.pace() }
        return told
    }
}
