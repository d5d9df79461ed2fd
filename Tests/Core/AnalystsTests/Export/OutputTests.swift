import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Analysts

@Suite(.timeLimit(.minutes(10)))
struct OutputTests {
    private let path = TestCluster.freshDirectory()
    private var part: String { path + ".part" }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `the file appears when it is complete, and replaces an older one`() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let output = try ExportOutput(path: path)
        try output.write("new")
        try output.flush()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        #expect(try String(contentsOfFile: part, encoding: .utf8) == "new")
        try output.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(!exists(part) && output.byteCount == 3)
    }

    @Test func `an unfinished output leaves no file`() throws {
        do {
            let output = try ExportOutput(path: path)
            try output.write("half")
            try output.flush()
            #expect(exists(part))
        }
        #expect(!exists(part) && !exists(path))
    }

    @Test func `a killed export's part is overwritten, a running export's is not`() throws {
        try Data("a long rest of before".utf8).write(to: URL(fileURLWithPath: part))
        let output = try ExportOutput(path: path)
        #expect {
            try ExportOutput(path: path)
        } throws: { error in
            if case .outputInUse? = error as? ExportFault { true } else { false }
        }
        try output.write("x")
        try output.finish()
        defer { unlink(path) }
        unlink(part)
        // A new part is readable by its owner only, and a link in its place is not followed.
        let new = try ExportOutput(path: path)
        var status = stat()
        #expect(stat(part, &status) == 0 && status.st_mode & 0o777 == 0o600)
        new.discard()
        #expect(symlink(path, part) == 0)
        #expect {
            try ExportOutput(path: path)
        } throws: { error in
            guard case .outputFailed(_, "open", ELOOP)? = error as? ExportFault else {
                return false
            }
            return true
        }
        unlink(part)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "x")
    }

    @Test func `a full disk and a missing directory are reported with their error`() throws {
        #expect {
            try ExportOutput(path: "/nowhere/at/all")
        } throws: { error in
            guard case .outputFailed(_, "open", ENOENT)? = error as? ExportFault else {
                return false
            }
            return true
        }
        // A device: it is written to directly, and neither replaced nor renamed.
        let output = try ExportOutput(path: "/dev/full")
        #expect {
            try output.write(String(repeating: "x", count: 1 << 20))
        } throws: { error in
            guard case .outputFailed(_, "write", ENOSPC)? = error as? ExportFault else {
                return false
            }
            return true
        }
    }

    @Test func `a named pipe is written to and stays one`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // A reader that does not wait for the writer.
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        let output = try ExportOutput(path: path)
        try output.write("through")
        try output.finish()
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(reader, &bytes, bytes.count)
        close(reader)
        #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "through")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO && !exists(part))
    }

    @Test func `a stop cancels the server's query`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "stop")
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-02', '2026-02-02');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            INSERT INTO sluice.vital
                SELECT 1, '2026-02-02Z'::timestamptz + i * interval '1 ms', 1, i
                FROM generate_series(1, 200000) i
            """)
        let stop = ExportStop()
        let output = try ExportOutput(path: path)
        var seen = 0
        #expect {
            try RowExport(.readings(.vital), as: .csv, in: ExportScope()).run(
                on: connection, to: output, stop: stop
            ) { state in
                seen = state.rows
                if state.rows == 1000 { stop.stop() }
            }
        } throws: { error in
            if case .interrupted? = error as? ExportFault { true } else { false }
        }
        #expect(seen == 1000)
        output.discard()
        #expect(!exists(path) && !exists(part))
        // The connection stays usable.
        #expect(try connection.query("SELECT 1").int32(0, 0) == 1)
        #expect {
            try RowExport(.readings(.vital), as: .csv, in: ExportScope()).run(
                on: connection, to: try ExportOutput(path: path), stop: stop)
        } throws: { error in
            if case .interrupted? = error as? ExportFault { true } else { false }
        }
    }

    @Test func `a reader that closes its pipe is no database failure`() throws {
        signal(SIGPIPE, SIG_IGN)
        let settings = try TestCluster.shared.freshDatabase(named: "pipe")
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        let session = try ExportSession(connection, ExportStop())
        var count = 0
        #expect {
            try session.copy("COPY (SELECT i FROM generate_series(1, 3000000) i) TO STDOUT") {
                _ throws(ExportFault) in
                count += 1
                if count == 10 { throw .brokenPipe }
            }
        } throws: { error in
            if case .brokenPipe? = error as? ExportFault { true } else { false }
        }
        #expect(count == 10)
        #expect(try connection.query("SELECT 1").int32(0, 0) == 1)
    }
}
