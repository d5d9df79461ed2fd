import Foundation
import Postgres
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)), .serialized)
struct ArchiveErasureTests {
    private static let text =
        "1\ta\\tb\n-12\tc\n12\td\n9223372036854775807\te\n1\tf\n-9223372036854775808\tg\n121\th\n"

    @Test(arguments: [1, 2, 3, 5, 7, 11, 100])
    func `lines of some devices are removed wherever the input is split`(size: Int) throws {
        let cases: [(keys: Set<Int64>, kept: String)] = [
            ([1], "-12\tc\n12\td\n9223372036854775807\te\n-9223372036854775808\tg\n121\th\n"),
            ([12, .min], "1\ta\\tb\n-12\tc\n9223372036854775807\te\n1\tf\n121\th\n"),
            ([], Self.text), ([2], Self.text), ([1, -12, 12, .max, .min, 121], ""),
        ]
        for (keys, kept) in cases {
            var filter = LineFilter(keys: keys)
            var output: [UInt8] = []
            var rest = Array(Self.text.utf8)[...]
            while !rest.isEmpty {
                try Array(rest.prefix(size)).withUnsafeBytes { piece in
                    try filter.take(piece) { output.append(contentsOf: $0) }
                }
                rest = rest.dropFirst(size)
            }
            #expect(String(decoding: output, as: UTF8.self) == kept)
            #expect(filter.dropped == 7 - kept.count { $0 == "\n" })
        }
    }

    @Test func `a device is removed from all files, and the others' rows stay`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31), device: 1)
        try rig.store(rig.day(ago: 31), device: 2)
        try rig.store(rig.day(ago: 32), device: 2)
        try rig.store(rig.day(ago: 33), device: 1)
        try rig.run()
        let session = try #require(try ArchiveSession(rig.connection))
        let directory = ArchiveDirectory(rig.directory)
        let report = try ArchiveErasure(session, directory).erase(deviceKeys: [2, 3])
        #expect(report.filesRead == 9 && report.filesRewritten == 6 && report.rowsRemoved == 6)
        #expect(report.failures.isEmpty)
        // Three days of three kinds, with two files each. One day has no rows and no files left.
        #expect(rig.files().count == 12)
        #expect(rig.files().contains("gps_\(rig.day(ago: 31).compactText).2.copy.lz4"))
        #expect(try ArchiveErasure(session, directory).erase(deviceKeys: [2]).rowsRemoved == 0)
        session.end()
        try rig.restore()
        #expect(try rig.count("sluice.event") == 2)
        #expect(try rig.count("sluice.event WHERE device_key = 2") == 0)
    }

    @Test func `an unreadable file is named, and a part left by a crash is removed`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        let name = "gps_\(rig.day(ago: 31).compactText)"
        let directory = ArchiveDirectory(rig.directory)
        // As after a crash before the row named the new file.
        var manifest = try directory.manifest(of: name + ".copy.lz4")
        try FileManager.default.copyItem(
            atPath: directory.path(of: name + ".copy.lz4"),
            toPath: directory.path(of: name + ".2.copy.lz4"))
        manifest.file = name + ".2.copy.lz4"
        try Data(manifest.json).write(
            to: URL(fileURLWithPath: directory.path(of: name + ".2.json")))
        try FileManager.default.removeItem(
            atPath: directory.path(of: "vital_\(rig.day(ago: 31).compactText).copy.lz4"))
        let session = try #require(try ArchiveSession(rig.connection))
        defer { session.end() }
        let report = try ArchiveErasure(session, directory).erase(deviceKeys: [7])
        #expect(report.filesRead == 2 && report.failures.count == 1)
        #expect(report.failures.first?.reason.hasSuffix("is missing") == true)
        #expect(!rig.files().contains(name + ".2.copy.lz4"))
        #expect(rig.files().contains(name + ".copy.lz4"))
    }
}
