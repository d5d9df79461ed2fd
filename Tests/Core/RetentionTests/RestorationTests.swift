import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)), .serialized)
struct RestorationTests {
    @Test func `an archived day accepts no rows until it is restored`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try rig.store(day)
        try rig.run()
        let refusal = #expect(throws: PostgresError.self) { try rig.store(day) }
        #expect(refusal?.failureClass == .poison)
        // Its sums can't be rebuilt from its rows.
        let week = "sluice.days_to_rebuild('\(rig.day(ago: 34).text)', '\(rig.day(ago: 28).text)')"
        #expect(try rig.count(week) == 6)
        // The days beside it accept rows as usual.
        try rig.store(rig.day(ago: 29))
        try rig.restore()
        try rig.store(day, device: 2)
        #expect(try rig.count("sluice.gps WHERE t::date = '\(day.text)'") == 2)
    }

    @Test func `a restored day is archived again, with its new rows, in one new file`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try rig.store(day)
        try rig.run()
        try rig.restore()
        try rig.store(day, device: 2)
        let before = try rig.bits()
        try rig.connection.execute("UPDATE sluice.archive SET keep_until = now()")
        #expect(try rig.run().archived.count == 3)
        #expect(try rig.count("sluice.gps") == 0)
        let name = "gps_\(day.compactText)-2"
        #expect(
            rig.files().filter { $0.hasPrefix("gps") } == [name + ".csv.zst", name + ".json"])
        #expect(try ArchiveCatalog.parts(on: rig.connection).map(\.part) == [2, 2, 2])
        #expect(try rig.restore() == [.restored(rows: 2), .restored(rows: 2), .restored(rows: 2)])
        #expect(try rig.bits() == before)
    }

    @Test func `a week leaves when its last day is old enough, and is restored whole`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        try Migrator.choosePartitionDays(7, on: rig.connection)
        // Monday, January 3rd 2000 is day 2.
        let monday = Day(number: rig.day(ago: 40).number / 7 * 7 + 2)
        let week = (0...6).map { monday.before(days: -$0) }
        for day in week { try rig.store(day) }
        let before = try rig.bits()
        #expect(try TrustedClock(rig.configuration, on: rig.connection).newest == monday)
        try rig.connection.execute(
            """
            INSERT INTO sluice.device_state (device_key, key_check, gps_until)
            VALUES (1, 1, '\(week[5].text) 10:00+00')
            """)
        #expect(try TrustedClock(rig.configuration, on: rig.connection).newest == week[5])
        rig.configuration.readingDays = Int(rig.today.number - week[6].number)
        #expect(try rig.run().archived.isEmpty)
        rig.configuration.readingDays -= 1
        let report = try rig.run()
        #expect(report.archived.map(\.kind) == [.gps, .vital, .event] && report.rows == 21)
        #expect(report.archived.allSatisfy { $0.day == monday })
        #expect(throws: PostgresError.self) { try rig.store(week[6], device: 2) }
        // Any of its days selects it.
        var selection = ArchiveSelection()
        (selection.first, selection.last) = (week[4], week[4])
        #expect(try rig.restore(selection) == Array(repeating: .restored(rows: 7), count: 3))
        #expect(try rig.bits() == before)
        try rig.connection.execute("UPDATE sluice.archive SET keep_until = now()")
        #expect(throws: Crash.self) {
            try rig.run { step, _ in
                if step == .copy { throw Crash() }
            }
        }
        #expect(try rig.restore(selection).contains(.putBack))
        #expect(try rig.bits() == before)
    }

    @Test func `a damaged file is rejected with its name and the fault`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        let path = "\(rig.directory)/event_\(rig.day(ago: 31).compactText).csv.zst"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var bad = whole
        bad[bad.count / 2] ^= 1
        try bad.write(to: URL(fileURLWithPath: path))
        var selection = ArchiveSelection()
        selection.kinds = [.event]
        let error = #expect(throws: ArchiveError.self) { try rig.restore(selection) }
        #expect("\(try #require(error))".hasPrefix(path + ": "))
        try whole.prefix(20).write(to: URL(fileURLWithPath: path))
        #expect(throws: ArchiveError.damaged(path: path, .frame)) { try rig.restore(selection) }
        #expect(try rig.count("sluice.event") == 0)
        #expect(try rig.states() == [.gone, .gone, .gone])
        // An intact file that belongs to another partition.
        let other = "\(rig.directory)/gps_\(rig.day(ago: 31).compactText).csv.zst"
        try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: path))
        #expect {
            try rig.restore(selection)
        } throws: { error in
            "\(error)".hasPrefix(path + ": has ")
        }
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(try rig.restore(selection) == [.restored(rows: 1)])
    }

    @Test func `a file of an older version is erased from, and restored bit by bit`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try rig.store(day)
        let before = try rig.bits()
        try rig.store(day, device: 2)
        var texts: [DayTable: (columns: [String], text: [UInt8])] = [:]
        for kind in [DayTable.gps, .vital, .event] {
            var text: [UInt8] = []
            try rig.connection.copyOut("COPY (SELECT * FROM sluice.\(kind.rawValue)) TO STDOUT") {
                text.append(contentsOf: $0)
            }
            texts[kind] = (
                try ArchiveCatalog.columns(of: "sluice.\(kind.rawValue)", on: rig.connection), text
            )
        }
        try rig.run()
        let archive = try rig.archive
        for part in try ArchiveCatalog.parts(on: rig.connection) {
            let (columns, text) = try #require(texts[part.partition.kind])
            let file = try #require(part.file)
            var manifest = try archive.manifest(of: file)
            try FileManager.default.removeItem(atPath: archive.path(of: file))
            let plain = archive.path(of: "plain")
            try Data(text).write(to: URL(fileURLWithPath: plain))
            manifest.file = part.partition.name + ".copy.lz4"
            manifest.columns = columns
            let path = archive.path(of: manifest.file)
            #expect(Self.run("lz4", ["-q", "--rm", plain, path]))
            let facts = try ArchiveReader.read(manifest.file, in: archive.store, .copyLZ4)
            manifest.set(facts)
            try Data(manifest.json).write(
                to: URL(fileURLWithPath: archive.path(of: part.partition.name + ".json")))
            var parameters = ArchiveCatalog.key(of: part.partition)
            parameters.append(text: manifest.file)
            parameters.append(int8: Int64(facts.bytes))
            parameters.append(int8: Int64(facts.textBytes))
            parameters.append(bytea: facts.sha256)
            try rig.connection.query(
                """
                UPDATE sluice.archive SET file = $3, bytes = $4, text_bytes = $5, sha256 = $6
                WHERE kind = $1 AND day = $2
                """, parameters)
        }
        let session = try #require(try ArchiveSession(rig.connection))
        let report = try ArchiveErasure(session, archive).erase(deviceKeys: [2])
        #expect(report.failures.isEmpty)
        #expect(report.filesRewritten == 3 && report.rowsRemoved == 3)
        session.end()
        let name = "gps_\(day.compactText).2"
        #expect(
            rig.files().filter { $0.hasPrefix("gps") } == [name + ".copy.zst", name + ".json"])
        #expect(try rig.restore() == Array(repeating: .restored(rows: 1), count: 3))
        #expect(try rig.bits() == before)
    }

    @Test func `an interrupted restore has no effect, and can be repeated`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        var rows = RandomRows(seed: 7)
        try rows.store(200, on: rig.day(ago: 31), rig.connection)
        let before = try rig.bits()
        try rig.run()
        let other = try rig.open()
        let session = try #require(try ArchiveSession(other))
        // Its connection is closed before the last row.
        let restoration = Restoration(session, try rig.archive) { partition, _ in
            if partition.kind == .vital { other.close() }
        }
        let parts = try ArchiveCatalog.parts(on: rig.connection)
        #expect(throws: PostgresError.self) {
            for part in parts { _ = try restoration.restore(part, keep: .seconds(60)) }
        }
        session.end()
        let states = ReadingKind.allCases.map { $0 == .gps ? ArchivedPart.State.restored : .gone }
        #expect(try rig.states() == states)
        try rig.restore()
        #expect(try rig.bits() == before)
    }

    @Test(arguments: [DepartureStep.detach, .noteDetached, .copy, .adopt, .drop])
    func `a day that is being archived is put back`(step: DepartureStep) throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        let before = try rig.bits()
        let other = try rig.open()
        #expect(throws: Crash.self) {
            try rig.run(on: other) { at, partition in
                if at == step, partition.kind == .vital {
                    other.close()
                    throw Crash()
                }
            }
        }
        #expect(try rig.restore() == [.restored(rows: 1), .putBack])
        #expect(try rig.bits() == before)
        #expect(try rig.run().archived.map(\.kind) == [.event])
        try rig.connection.execute("UPDATE sluice.archive SET keep_until = now()")
        #expect(try rig.run().archived.map(\.kind) == [.gps, .vital])
        try rig.restore()
        #expect(try rig.bits() == before)
    }

    @Test func `a day can be copied to another schema and stays archived`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        let session = try #require(try ArchiveSession(rig.connection))
        defer { session.end() }
        let restoration = Restoration(session, try rig.archive)
        let part = try #require(try ArchiveCatalog.parts(on: rig.connection).first)
        #expect(try restoration.copy(part, intoSchema: "Look at") == .restored(rows: 1))
        #expect(try restoration.copy(part, intoSchema: "Look at") == .wasThere)
        let name = "gps_\(rig.day(ago: 31).compactText)"
        #expect(try rig.count("\"Look at\".\(name)") == 1)
        // `sluice forget` recognises the copy by this comment.
        #expect(
            try rig.connection.query("SELECT obj_description('\"Look at\".\(name)'::regclass)")
                .string(0, 0) == "Copy by sluice archive restore: \(name)")
        #expect(try rig.states() == [.gone, .gone, .gone])
        #expect(try rig.count("sluice.gps") == 0)
        // And it removes rows of the copy, also where all tables are published.
        try rig.connection.execute(
            "CREATE PUBLICATION all_tables FOR ALL TABLES; DELETE FROM \"Look at\".\(name)")
    }

    @Test func `without a directory days are dropped, unless others were archived`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.archiveDirectory = ""
        try rig.store(rig.day(ago: 40))
        let report = try rig.run()
        #expect(report.dropped.count == 3 && report.archived.isEmpty && report.rows == 3)
        #expect(try rig.restore() == Array(repeating: .withoutFile(rows: 1), count: 3))
        rig.configuration.archiveDirectory = rig.directory
        try rig.store(rig.day(ago: 39))
        #expect(try rig.run().archived.count == 3)
        rig.configuration.archiveDirectory = ""
        try rig.store(rig.day(ago: 38))
        #expect(throws: ArchiveError.directoryMissing) { try rig.run() }
        #expect(try rig.count("sluice.gps") == 1)
        rig.configuration.archiveDirectory = "none"
        #expect(try rig.run().dropped.count == 3)
        // With no retention limit, nothing is dropped.
        rig.configuration.readingDays = 0
        try rig.store(rig.day(ago: 37))
        #expect(try rig.run().dropped.isEmpty)
    }

    @Test func `a full disk drops nothing, and the next run continues`() throws {
        guard getuid() == 0 else { return }
        var rig = try Rig()
        defer { rig.discard() }
        let mount = rig.directory
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        guard Self.run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount]) else { return }
        defer { _ = Self.run("umount", [mount]) }
        rig.configuration.readingDays = 30
        var rows = RandomRows(seed: 3)
        try rows.store(1500, on: rig.day(ago: 31), rig.connection)
        let before = try rig.bits()
        #expect {
            try rig.run()
        } throws: { error in
            guard case ArchiveError.disk(_, let path, ENOSPC) = error else { return false }
            return path.hasPrefix(mount)
        }
        #expect(try rig.states().contains(.detached))
        #expect(rig.files().allSatisfy { !$0.hasSuffix(".part") })
        #expect(Self.run("mount", ["-o", "remount,size=16m", mount]))
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.states() == ReadingKind.allCases.map { _ in ArchivedPart.State.gone })
        try rig.restore()
        #expect(try rig.bits() == before)
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
