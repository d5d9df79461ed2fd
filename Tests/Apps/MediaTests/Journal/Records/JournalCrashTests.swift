@testable import Media
import NIOCore
import Postgres
import TestSupport
import Testing

/// The state after a request ends between any two of its steps.
@Suite(.timeLimit(.minutes(10)))
struct JournalCrashTests {
    let journal: Journal
    let library: JournalLibrary

    init() throws {
        journal = try Journal()
        library = journal.library
    }

    private func mood(_ body: inout FormBody) throws {
        body.text("mood", "m")
        body.file("file", try Corpus.bytes("plain.jpg"))
        body.file("file", try Corpus.bytes("clear.png"))
    }

    @Test func `the sweep removes files without a row`() async throws {
        let entry = try await journal.read(.mood, FormBody.make(mood))
        #expect(entry.files.count == 2)
        // The process dies here. Young objects stay because their row may not be committed yet.
        #expect(try await journal.media.sweep().objectsRemoved == 0)
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 2)
        #expect(journal.scratch.objects().isEmpty)
        for table in ["mood", "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
    }

    @Test func `a transaction that fails at its last statement leaves no row`() async throws {
        _ = try await journal.database.withConnection { connection in
            try connection.execute(
                """
                create function refuse() returns trigger language plpgsql as
                $$ begin raise exception 'refused' using errcode = '23514'; end $$;
                create trigger refuse before insert on sluice.journal_file
                    for each row when (new.place = 1) execute function refuse();
                """)
        }
        await #expect(throws: PostgresError.self) {
            _ = try await journal.create(.mood, mood)
        }
        for table in ["mood", "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
    }

    @Test func `a connection killed before the commit leaves no row`() async throws {
        let entry = try await journal.read(.mood, FormBody.make(mood))
        _ = try await journal.database.withConnection { connection in
            try connection.execute(
                """
                create function die() returns trigger language plpgsql as $$
                begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return new;
                end $$;
                create trigger die after insert on sluice.journal_file
                    for each statement execute function die();
                """)
        }
        await #expect(throws: PostgresError.self) {
            try await journal.commit(entry)
        }
        try await journal.database.withConnection {
            _ = try $0.execute("drop trigger die on sluice.journal_file")
        }
        for table in ["mood", "journal_file", "media_file"] {
            #expect(try await journal.count(table) == 0)
        }
        // The same entry again: its objects are still there.
        try await journal.commit(entry)
        #expect(try await journal.count("journal_file") == 2)
    }

    @Test func `the same content is stored once, and stays as long as a row names it`() async throws
    {
        func picture() async throws -> AppUpload.File.Facts {
            try await journal.create(.upload) {
                $0.file("file", try Corpus.bytes("gps.jpg"))
            }.decoded(AppUpload.self).files[0].data
        }
        let first = try await picture()
        let second = try await picture()
        #expect(first.fileId != second.fileId && journal.scratch.objects().count == 1)
        #expect(try await library.removeFile(first.fileId, user: "u1") != nil)
        journal.scratch.age(by: 1000)
        #expect(try await journal.media.sweep().objectsRemoved == 0)
        #expect(try await journal.contents(second.url) != nil)
        #expect(try await library.removeFile(second.fileId, user: "u1") != nil)
        #expect(try await journal.media.sweep().objectsRemoved == 1)
    }

    @Test func `concurrent creates, deletions and sweeps lose no file that a row names`()
        async throws
    {
        // Objects are old after a second or two; the test runs for longer.
        let journal = try Journal(graceTime: .seconds(1))
        let end = ContinuousClock.now + .seconds(6)
        let kept = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var kept = 0
                    var round = 0
                    while ContinuousClock.now < end {
                        round += 1
                        // A pause from time to time, so that objects get old between two uses.
                        if round % 8 == 0 { try await Task.sleep(for: .milliseconds(2500)) }
                        let upload: AppUpload
                        do {
                            upload = try await journal.create(.upload) {
                                $0.file("file", try Corpus.bytes("plain.jpg"))
                                $0.file("file", try Corpus.bytes("clear.png"))
                            }.decoded(AppUpload.self)
                        } catch JournalFailure.expired {
                            // The object was old and swept before the commit, because the machine
                            // stalled.
                            continue
                        }
                        for file in upload.files {
                            let contents = try await journal.contents(file.data.url)
                            #expect(contents?.count == file.data.size)
                        }
                        if (worker + round) % 10 == 0 {
                            kept += 2
                            continue
                        }
                        for file in upload.files {
                            let removed = try await journal.library.removeFile(
                                file.data.fileId, user: "u1")
                            #expect(removed != nil)
                        }
                    }
                    return kept
                }
            }
            group.addTask {
                while ContinuousClock.now < end { _ = try await journal.media.sweep() }
                return 0
            }
            return try await group.reduce(0, +)
        }
        #expect(try await journal.count("journal_file") == kept)
        #expect(try await journal.count("media_file") == kept)
        for object in try await names(in: journal) { _ = try await journal.store.open(object) }
    }

    private func names(in journal: Journal) async throws -> [ObjectName] {
        try await journal.database.withConnection { connection in
            let rows = try connection.query("select distinct object from sluice.media_file")
            return (0..<rows.count).compactMap { ObjectName(rows.string($0, 0)) }
        }
    }

    @Test func `files that got old during the request are made young first`() async throws {
        let entry = try await journal.read(.mood, FormBody.make(mood))
        let old = JournalEntry(
            kind: entry.kind, problems: [], fields: entry.fields,
            files: entry.files.map {
                JournalUpload(
                    id: $0.id, object: $0.object, type: $0.type, name: $0.name, role: $0.role,
                    facts: $0.facts, finishedAt: $0.finishedAt - .seconds(90))
            })
        journal.scratch.age(by: 90)
        try await journal.commit(old)
        // Once the sweeper has removed them, nothing is committed.
        let gone = try await journal.read(
            .mood,
            FormBody.make {
                $0.text("mood", "m")
                $0.file("file", try Corpus.bytes("frames.gif"))
            })
        let late = JournalEntry(
            kind: gone.kind, problems: [], fields: gone.fields,
            files: gone.files.map {
                JournalUpload(
                    id: $0.id, object: $0.object, type: $0.type, name: $0.name, role: $0.role,
                    facts: $0.facts, finishedAt: $0.finishedAt - .seconds(200))
            })
        journal.scratch.age(by: 200)
        #expect(try await journal.media.sweep().objectsRemoved == 1)
        await #expect(throws: JournalFailure.expired) {
            try await journal.commit(late)
        }
        #expect(try await journal.count("mood") == 1)
    }
}
