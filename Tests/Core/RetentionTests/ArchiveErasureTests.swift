import Foundation
import Postgres
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)), .serialized)
struct ArchiveErasureTests {
    private static let text =
        "1\ta\\tb\n-12\tc\n12\td\n9223372036854775807\te\n1\tf\n-9223372036854775808\tg\n121\th\n"

    private static let header = "device_key,label\n"
    private static let csv =
        header + "1,\"a\n12,\"\"b\"\"\"\n-12,c\n12,\"x\n\n1,y\"\n1,\"\"\n12,\n"

    @Test(arguments: [1, 2, 3, 5, 7, 11, 100])
    func `rows of some devices are removed wherever the input is split`(size: Int) throws {
        let cases: [(keys: Set<Int64>, kept: String)] = [
            ([1], "-12\tc\n12\td\n9223372036854775807\te\n-9223372036854775808\tg\n121\th\n"),
            ([12, .min], "1\ta\\tb\n-12\tc\n9223372036854775807\te\n1\tf\n121\th\n"),
            ([], Self.text), ([2], Self.text), ([1, -12, 12, .max, .min, 121], ""),
        ]
        let csv: [(keys: Set<Int64>, kept: String)] = [
            ([1], Self.header + "-12,c\n12,\"x\n\n1,y\"\n12,\n"),
            ([12], Self.header + "1,\"a\n12,\"\"b\"\"\"\n-12,c\n1,\"\"\n"),
            ([1, 12, -12], Self.header), ([7], Self.csv),
        ]
        for (text, form, cases) in [
            (Self.text, ArchiveForm.copyLZ4, cases), (Self.csv, .csvZstd, csv),
        ] {
            for (keys, kept) in cases { try Self.check(text, form, keys, kept, size) }
        }
    }

    private static func check(
        _ text: String, _ form: ArchiveForm, _ keys: Set<Int64>, _ kept: String, _ size: Int
    ) throws {
        var filter = LineFilter(keys: keys, form)
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try Array(rest.prefix(size)).withUnsafeBytes { piece in
                try filter.take(piece) { output.append(contentsOf: $0) }
            }
            rest = rest.dropFirst(size)
        }
        #expect(String(decoding: output, as: UTF8.self) == kept)
        var counters = (before: RowCounter(form), after: RowCounter(form))
        Array(text.utf8).withUnsafeBytes { counters.before.add($0) }
        output.withUnsafeBytes { counters.after.add($0) }
        #expect(filter.dropped == counters.before.rows - counters.after.rows)
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
        let archive = try rig.archive
        let report = try ArchiveErasure(session, archive).erase(deviceKeys: [2, 3])
        #expect(report.filesRead == 9 && report.filesRewritten == 6 && report.rowsRemoved == 6)
        #expect(report.failures.isEmpty)
        // Three days of three kinds, with two files each. One day has no rows and no files left.
        #expect(rig.files().count == 12)
        #expect(rig.files().contains("gps_\(rig.day(ago: 31).compactText).2.csv.zst"))
        #expect(try ArchiveErasure(session, archive).erase(deviceKeys: [2]).rowsRemoved == 0)
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
        let archive = try rig.archive
        // As after a crash before the row named the new file.
        var manifest = try archive.manifest(of: name + ".csv.zst")
        try FileManager.default.copyItem(
            atPath: archive.path(of: name + ".csv.zst"),
            toPath: archive.path(of: name + ".2.csv.zst"))
        manifest.file = name + ".2.csv.zst"
        try Data(manifest.json).write(
            to: URL(fileURLWithPath: archive.path(of: name + ".2.json")))
        try FileManager.default.removeItem(
            atPath: archive.path(of: "vital_\(rig.day(ago: 31).compactText).csv.zst"))
        let session = try #require(try ArchiveSession(rig.connection))
        defer { session.end() }
        let report = try ArchiveErasure(session, archive).erase(deviceKeys: [7])
        #expect(report.filesRead == 2 && report.failures.count == 1)
        #expect(report.failures.first?.reason.hasSuffix("is missing") == true)
        #expect(!rig.files().contains(name + ".2.csv.zst"))
        #expect(rig.files().contains(name + ".csv.zst"))
    }

    @Test func `a file that a crash left without a manifest is erased`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.checkErasureOfLeftover()
    }

    @Test(arguments: [true, false])
    func `what nothing names is removed, by an erasure and by a run, and nothing else`(
        isRun: Bool
    ) throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        let known = rig.files()
        let others = ["gps_20250102.csv.zst", "gps_20250102.json", "gps_2025.csv.zst", "a.csv.zst"]
        let leftovers = [
            "gps_20250101.csv.zst", "event_20250101-2.2.csv.zst", "vital_20250101.copy.lz4",
            "gps_20250101.csv.zst.part", "gps_20250101.json.part",
        ]
        for name in others + leftovers {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(rig.directory)/\(name)"))
        }
        if isRun {
            #expect(try rig.run().failures.isEmpty)
        } else {
            let session = try #require(try ArchiveSession(rig.connection))
            defer { session.end() }
            let report = try ArchiveErasure(session, rig.archive).erase(deviceKeys: [7])
            #expect(report.failures.isEmpty && report.filesRead == 3)
        }
        #expect(rig.files() == (known + others).sorted())
    }
}
