import Foundation
import Postgres
import TestSupport
import Testing

/// Which databases may be written to: tests with values, with a real primary and its standby, and
/// after a restart.
@Suite(.timeLimit(.minutes(10)))
struct EpochTests {
    private static let epoch = Epoch(
        systemID: "7", database: Epoch.Database(id: 5, name: "a"), timeline: 3, position: 1000,
        accepted: 1, instead: "6", mark: Epoch.Mark(table: 1, number: 5))

    private static func changed(_ change: (inout Epoch) -> Void) -> Epoch {
        var epoch = epoch
        change(&epoch)
        return epoch
    }

    @Test(
        arguments: [
            (0x300_0060, "0/3000060"), (0x1F_FEDC_BA98, "1F/FEDCBA98"),
        ] as [(UInt64, String)])
    func `a position is written as PostgreSQL writes it`(position: UInt64, text: String) {
        let epoch = Epoch(systemID: "1", timeline: 1, position: position, accepted: 0)
        #expect(epoch.positionText == text)
    }

    @Test(
        arguments: [
            (changed { _ in }, nil),
            (changed { $0.position = 2000 }, nil),
            (changed { $0.position = 999 }, .earlierPosition),
            (
                changed {
                    $0.timeline = 4; $0.position = 1
                }, nil
            ),
            (
                changed {
                    $0.timeline = 2; $0.position = 9000
                }, .olderTimeline
            ),
            (changed { $0.systemID = "8" }, .otherCluster),
            (
                changed {
                    $0.systemID = "8"; $0.accepted = 0
                }, .otherCluster
            ),
            (changed { $0.systemID = "" }, nil),
            (
                changed {
                    $0.systemID = ""; $0.timeline = 2
                }, .olderTimeline
            ),
            (
                changed {
                    $0.accepted = 0; $0.timeline = 9
                }, .beforeAcceptance
            ),
            (
                changed {
                    $0.accepted = 2; $0.timeline = 1; $0.systemID = "8"; $0.instead = "7"
                }, nil
            ),
            // An acceptance that replaced a third server, not the known one.
            (
                changed {
                    $0.accepted = 2; $0.systemID = "8"; $0.instead = "9"
                }, .otherCluster
            ),
            (
                changed {
                    $0.accepted = 2; $0.systemID = "8"
                }, .otherCluster
            ),
            (
                changed {
                    $0.accepted = 2; $0.timeline = 1
                }, nil
            ),
            (changed { $0.database = Epoch.Database(id: 6, name: "a") }, .otherDatabase),
            (changed { $0.database = Epoch.Database(id: 5, name: "renamed") }, nil),
            (changed { $0.database = nil }, nil),
            (
                changed {
                    $0.accepted = 2; $0.database?.id = 6; $0.instead = "7/5"
                }, nil
            ),
            // An acceptance that replaced a database of another cluster, or a third one.
            (
                changed {
                    $0.accepted = 2; $0.database?.id = 6; $0.instead = "7"
                }, .otherDatabase
            ),
            (
                changed {
                    $0.accepted = 2; $0.database?.id = 6; $0.instead = "7/4"
                }, .otherDatabase
            ),
            (
                changed {
                    $0.accepted = 2; $0.systemID = "8"; $0.instead = "7/5"
                }, nil
            ),
            // A copy that has written more log, or a second standby of the same timeline.
            (
                changed {
                    $0.position = 9000; $0.mark?.number = 4
                }, .lacksMark
            ),
            (changed { $0.mark?.number = 6 }, nil),
            (
                changed {
                    $0.timeline = 4; $0.mark?.number = 4
                }, nil
            ),
            // The table of marks was created again.
            (changed { $0.mark = Epoch.Mark(table: 2, number: 0) }, nil),
            (changed { $0.mark = nil }, nil),
        ] as [(Epoch, Epoch.Objection?)])
    func `a server is judged by the last known epoch`(epoch: Epoch, objection: Epoch.Objection?) {
        #expect(epoch.objection(knowing: Self.epoch) == objection)
    }

    @Test func `the known epoch survives a restart, and a truncated file is not accepted`()
        throws
    {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try EpochFence(path: path).admit(Self.epoch, knownWhenAsked: nil)
        #expect(EpochFence(path: path).known == Self.epoch)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for count in 0..<text.utf8.count {
            try String(text.prefix(count)).write(toFile: path, atomically: false, encoding: .utf8)
            let book = EpochFence(path: path)
            #expect(throws: PostgresError.self) { try book.admit(Self.epoch, knownWhenAsked: nil) }
            #expect(book.known == nil)
        }
        // A running server continues once a command in another process has accepted the database.
        let running = EpochFence(path: path)
        try EpochFence(path: path).accept(Self.epoch)
        #expect(EpochFence(path: path).known == Self.epoch)
        #expect(throws: PostgresError.self) {
            try running.admit(Self.changed { $0.position = 999 }, knownWhenAsked: nil)
        }
        try running.admit(Self.epoch, knownWhenAsked: nil)
        #expect(running.known == Self.epoch && running.damage == nil)
    }

    @Test func `a file of an earlier version learns the database at the first contact`() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let older = Self.changed { $0.database = nil }
        try EpochFence(path: path).admit(older, knownWhenAsked: nil)
        #expect(EpochFence(path: path).known == older)
        let book = EpochFence(path: path)
        try book.admit(Self.changed { $0.position = 2000 }, knownWhenAsked: older)
        // Another session was asked before, and is recorded after.
        try book.admit(Self.epoch, knownWhenAsked: older)
        #expect(book.known == Self.changed { $0.position = 2000 })
        #expect(EpochFence(path: path).known?.database == Self.epoch.database)
    }

    @Test func `another database of the cluster is rejected until it is accepted`() throws {
        let settings = try TestCluster.shared.freshDatabase(named: "epoch")
        let name = try #require(settings.database)
        let owner = try Connection.open(
            TestCluster.shared.server.settings, deadline: .now + .seconds(60))
        let book = EpochFence(path: nil)
        func open(_ database: String, _ book: EpochFence) throws -> Connection {
            var settings = settings.checked(by: book)
            settings.database = database
            return try Connection.open(settings, deadline: .now + .seconds(30))
        }
        try open(name, book).close()
        // The same database by another name.
        let renamed = name + "\nrenamed \""
        try owner.execute("ALTER DATABASE \(name) RENAME TO \"\(name)\nrenamed \"\"\"")
        try open(renamed, book).close()
        #expect(book.known?.database?.name == name + "?renamed \"")
        // Its copy has the same rows, the same marks and no settings of the database.
        try owner.execute("CREATE DATABASE \(name) TEMPLATE \"\(name)\nrenamed \"\"\"")
        let error = #expect(throws: PostgresError.self) { try open(name, book) }
        #expect(error?.kind == .epochRefused)
        for part in ["\"\(name)\", OID", "?renamed \"\", OID", "sluice epoch accept"] {
            #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        }
        let other = EpochFence(knowing: book.known)
        _ = try open(name, EpochFence(path: nil)).accept(into: book)
        for book in [book, other] {
            try open(name, book).close()
            #expect(throws: PostgresError.self) { try open(renamed, book) }
        }
    }

    /// As after a command that ran as root: the file exists, but can't be read.
    @Test func `an unreadable file is not treated as missing`() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let book = EpochFence(path: path)
        #expect {
            try book.admit(Self.epoch, knownWhenAsked: nil)
        } throws: {
            "\($0)".contains("can't be read")
        }
        try FileManager.default.removeItem(atPath: path)
        try book.admit(Self.epoch, knownWhenAsked: nil)
        #expect(EpochFence(path: path).known == Self.epoch)
    }

    /// The path can't even be looked at, as on a failing disk.
    @Test func `an epoch that can't be looked at is not treated as missing`() throws {
        let path = NSTemporaryDirectory() + "sluice-epoch-\(UUID().uuidString)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        defer { unlink(path) }
        let book = EpochFence(path: path)
        #expect(book.damage != nil)
        #expect(throws: PostgresError.self) { try book.admit(Self.epoch, knownWhenAsked: nil) }
        // That passes.
        unlink(path)
        try book.admit(Self.epoch, knownWhenAsked: nil)
        #expect(book.damage == nil && EpochFence(path: path).known == Self.epoch)
    }

    @Test func `a server that hides its identifier does not erase the known one`() throws {
        let book = EpochFence(knowing: Self.epoch)
        try book.admit(
            Self.changed { ($0.systemID, $0.timeline) = ("", 4) }, knownWhenAsked: book.known)
        #expect(book.known?.systemID == Self.epoch.systemID)
        #expect(throws: PostgresError.self) {
            try book.admit(
                Self.changed { ($0.systemID, $0.timeline) = ("8", 5) }, knownWhenAsked: book.known)
        }
    }

    /// The role that `deploy/` tells operators to create: it owns the database and nothing else.
    @Test func `a role that may not accept a server is told the statement that lets it`() throws {
        let server = try TestServer()
        try server.execute("CREATE ROLE owner LOGIN")
        try server.execute("ALTER DATABASE telemetry OWNER TO owner")
        var settings = server.settings
        settings.user = "owner"
        let book = EpochFence(path: nil)
        func accept() throws {
            let connection = try Connection.open(settings, deadline: .now + .seconds(20))
            defer { connection.close() }
            _ = try connection.accept(into: book)
        }
        var statement = ""
        do {
            try accept()
        } catch let error as PostgresError {
            let parts = error.message.components(separatedBy: "let a superuser run: ")
            statement = try #require(parts.count == 2 ? parts[1] : nil, "\(error)")
        }
        #expect(book.known == nil)
        try server.execute(statement)
        try accept()
        #expect(book.known?.accepted ?? 0 > 0)
    }

    /// Two sessions read one after the other, and are recorded in the opposite order.
    @Test func `a position is compared with the epoch that was known when the server was asked`()
        throws
    {
        let book = EpochFence(path: nil)
        try book.admit(Self.epoch, knownWhenAsked: nil)
        let asked = book.known
        try book.admit(Self.changed { $0.position = 1100 }, knownWhenAsked: asked)
        try book.admit(Self.changed { $0.position = 1050 }, knownWhenAsked: asked)
        #expect(book.known?.position == 1100)
        #expect(throws: PostgresError.self) {
            try book.admit(Self.changed { $0.position = 1050 }, knownWhenAsked: book.known)
        }
    }

    @Test func `after a failover the old primary is rejected, and its sessions are outdated`()
        throws
    {
        let primary = try TestServer()
        let standby = try primary.makeStandby()
        let book = EpochFence(path: nil)
        let settings = TestServer.settings([primary, standby]).checked(by: book)
        func open() throws -> Connection {
            try Connection.open(settings, deadline: .now + .seconds(20))
        }
        let old = try open()
        #expect(!old.isOutdated)
        let first = try #require(book.known)
        try standby.promote()
        // Both accept writes now, and the URL names the old one first.
        let found = try Connection.open(
            standby.settings.checked(by: book), deadline: .now + .seconds(20))
        #expect(book.known?.timeline == first.timeline + 1)
        #expect(old.isOutdated)
        #expect(!found.isOutdated)
        let next = try open()
        #expect(try next.query("SHOW port").string(0, 0) == "\(standby.port)")
        #expect {
            _ = try Connection.open(
                primary.settings.checked(by: book), deadline: .now + .seconds(20))
        } throws: {
            ($0 as? PostgresError)?.kind == .epochRefused
        }
        // Until an operator accepts the old one; other nodes learn it from the database.
        let other = EpochFence(knowing: book.known)
        let plain = try Connection.open(primary.settings, deadline: .now + .seconds(20))
        _ = try plain.accept(into: book)
        _ = try Connection.open(primary.settings.checked(by: book), deadline: .now + .seconds(20))
        _ = try Connection.open(primary.settings.checked(by: other), deadline: .now + .seconds(20))
        #expect(throws: PostgresError.self) {
            _ = try Connection.open(
                standby.settings.checked(by: other), deadline: .now + .seconds(20))
        }
    }

    @Test func `a copy from an earlier time and another cluster are rejected`() throws {
        let server = try TestServer()
        let book = EpochFence(path: nil)
        _ = try Connection.open(server.settings.checked(by: book), deadline: .now + .seconds(20))
        let copy = try server.makeCopy()
        try server.execute("CREATE TABLE later AS SELECT g FROM generate_series(1, 100000) g")
        let latest = try Connection.open(
            server.settings.checked(by: book), deadline: .now + .seconds(20))
        let epoch = try #require(try latest.readEpoch())
        try book.admit(epoch, knownWhenAsked: book.known)
        server.kill9()
        try copy.start()
        #expect {
            _ = try Connection.open(copy.settings.checked(by: book), deadline: .now + .seconds(20))
        } throws: {
            "\($0)".contains("earlier time")
        }
        let stranger = try TestServer()
        #expect {
            _ = try Connection.open(
                stranger.settings.checked(by: book), deadline: .now + .seconds(20))
        } throws: {
            "\($0)".contains("another cluster")
        }
    }

    /// Other programs, such as vacuum, also write log on the copy.
    @Test func `a copy whose log has grown past the known position is rejected`() throws {
        let server = try TestServer()
        let book = EpochFence(path: nil)
        func open(_ server: TestServer) throws -> Connection {
            try Connection.open(
                server.settings.checked(by: book), deadline: .now + .seconds(20))
        }
        let connection = try open(server)
        try book.raiseMark(of: try #require(try connection.readEpoch()), on: connection)
        // Since the last mark nothing was written but the mark itself.
        try book.raiseMark(of: try #require(try connection.readEpoch()), on: connection)
        #expect(book.known?.mark?.number == 1)
        let copy = try server.makeCopy()
        try server.execute("CREATE TABLE later AS SELECT g FROM generate_series(1, 1000) g")
        try book.raiseMark(of: try #require(try connection.readEpoch()), on: connection)
        #expect(book.known?.mark?.number == 2)
        connection.close()
        server.kill9()
        try copy.start()
        try copy.execute("CREATE TABLE other AS SELECT g FROM generate_series(1, 100000) g")
        #expect { try open(copy) } throws: { "\($0)".contains("lacks what was written to it last") }
    }

    /// A role without any privileges of its own.
    @Test func `any role can read the epoch`() throws {
        let server = try TestServer()
        try server.execute("CREATE ROLE nobody_special LOGIN")
        var settings = server.settings
        settings.user = "nobody_special"
        let connection = try Connection.open(settings, deadline: .now + .seconds(20))
        #expect(try connection.readEpoch()?.systemID.isEmpty == false)
    }

    /// A host that is frozen or cut off: its kernel accepts the connection, and nobody answers.
    @Test func `a silent host does not use up the time of the next one`() throws {
        let server = try TestServer()
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        let port = TestCluster.freePort()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(silent, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        #expect(isBound && listen(silent, 8) == 0)
        let settings = try ConnectionSettings(
            "postgresql://writer@127.0.0.1:\(port),127.0.0.1:\(server.port)/telemetry"
        ).checked(by: EpochFence(path: nil))
        // The second host gets half of the time, whatever the first one does.
        try Connection.open(settings, deadline: .now + .seconds(20)).close()
        // From now on it is tried first.
        let start = ContinuousClock.now
        try Connection.open(settings, deadline: .now + .seconds(20)).close()
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    private static func sender(
        _ pid: Int32, _ application: String, isStreaming: Bool = true
    ) -> ReplicationViews.Sender {
        ReplicationViews.Sender(
            pid: pid, application: application, address: "::1", isStreaming: isStreaming, flushed: 7
        )
    }

    /// Names of the standbys, with a star if they have a slot.
    private static func standbys(
        _ before: [ReplicationViews.Slot], _ senders: [ReplicationViews.Sender],
        _ after: [ReplicationViews.Slot]
    ) -> [String] {
        var views = ReplicationViews()
        (views.slotsBefore, views.senders, views.slots) = (before, senders, after)
        return views.standbys.map { "\($0.name)\($0.hasSlot ? "*" : "") \($0.flushed ?? 0)" }
    }

    @Test func `a slot counts at any moment of its standby's connection`() {
        let away = ReplicationViews.Slot(name: "s", activePID: nil, restart: 5)
        let busy = ReplicationViews.Slot(name: "s", activePID: 1, restart: 5)
        let sender = Self.sender(1, "a")
        #expect(Self.standbys([away], [], [away]) == ["s* 5"])
        #expect(Self.standbys([busy], [sender], [busy]) == ["s* 7"])
        // The standby connects between two of the views, has not started to stream, or
        // disconnects.
        #expect(Self.standbys([away], [], [busy]) == ["s* 5"])
        #expect(Self.standbys([away], [sender], [busy]) == ["s* 7"])
        let starting = Self.sender(1, "a", isStreaming: false)
        #expect(Self.standbys([busy], [starting], [busy]) == ["s* 5"])
        #expect(Self.standbys([busy], [sender], [away]) == ["s* 7"])
        #expect(Self.standbys([busy], [sender], []) == ["s* 7"])
        #expect(Self.standbys([busy], [], []) == [])
    }

    @Test func `a lost slot is reported, unless a sender holds it`() {
        let lost = ReplicationViews.Slot(name: "s", activePID: nil, restart: nil, isLost: true)
        var views = ReplicationViews()
        (views.slotsBefore, views.slots) = ([lost], [lost])
        #expect(
            views.standbys
                == [StandbyPosition(name: "s", flushed: nil, hasSlot: true, isLost: true)])
        let busy = ReplicationViews.Slot(name: "s", activePID: 1, restart: 5, isLost: true)
        #expect(Self.standbys([busy], [Self.sender(1, "a")], [busy]) == ["s* 7"])
        let logical = ReplicationViews.Slot(
            name: "l", activePID: nil, restart: nil, isPhysical: false, isLost: true)
        #expect(Self.standbys([logical], [], [logical]) == [])
    }

    @Test func `a slot whose log the server has removed is lost`() throws {
        let server = try TestServer()
        try server.execute("SELECT pg_create_physical_replication_slot('behind', true)")
        try server.execute("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'")
        try server.execute("ALTER SYSTEM SET wal_keep_size = 0")
        try server.execute("SELECT pg_reload_conf()")
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(30))
        #expect(try connection.readReplicationViews().standbys.map(\.isLost) == [false])
        for _ in 1...3 {
            try server.execute("SELECT pg_logical_emit_message(true, 'fill', 'it')")
            try server.execute("SELECT pg_switch_wal()")
        }
        let isLost = try eventuallyBlocking {
            try server.execute("CHECKPOINT")
            return try connection.readReplicationViews().standbys.map(\.isLost) == [true]
        }
        #expect(isLost)
    }

    @Test
    func
        `the log counts as replicated if as many synchronous standbys have it as commits wait for`()
    {
        func sender(_ flushed: UInt64?, _ name: String = "s") -> ReplicationViews.Sender {
            ReplicationViews.Sender(
                pid: 1, application: name, address: "", isStreaming: true, flushed: flushed,
                isSynchronous: true)
        }
        var views = ReplicationViews()
        views.senders = [Self.sender(2, "asynchronous")]
        #expect(views.synchronouslyFlushed == nil)
        views.senders += [sender(9, "pg_receivewal"), sender(nil), sender(5), sender(3)]
        #expect(views.synchronouslyFlushed == 5)
        views.synchronousCount = 2
        #expect(views.synchronouslyFlushed == 3)
        views.synchronousCount = 3
        #expect(views.synchronouslyFlushed == nil)
    }

    /// Without a checkpoint: the checkpointer may not have read the setting, and then commits
    /// don't wait.
    @Test func `a reloaded setting does not count positions that no standby has`() throws {
        let server = try TestServer()
        let standby = try server.makeStandby()
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(300))
        func change(_ names: String) throws {
            try server.execute("ALTER SYSTEM SET synchronous_standby_names = '\(names)'")
            try server.execute("SELECT pg_reload_conf()")
        }
        func views() throws -> ReplicationViews { try connection.readReplicationViews() }
        // The standby must have reported its position once.
        #expect(try eventuallyBlocking { try views().standbys.contains { $0.flushed != nil } })
        #expect(server.signal(SIGSTOP, to: "checkpointer") == 1)
        #expect(standby.signal(SIGSTOP, to: "walreceiver") == 1)
        try change("FIRST 1 (standby)")
        #expect(try eventuallyBlocking { try views().synchronouslyFlushed != nil })
        // This commit does not wait, although the setting says so.
        try server.execute("CREATE TABLE later AS SELECT 1 AS n")
        let position = try #require(try connection.readEpoch()).position
        #expect(try views().synchronouslyFlushed ?? 0 < position)
        standby.signal(SIGCONT, to: "walreceiver")
        #expect(try eventuallyBlocking { try views().synchronouslyFlushed ?? 0 >= position })
        for (names, count) in [("any 2(standby, b)", 2), ("*", 1), ("standby, b", 1), ("", 1)] {
            try change(names)
            #expect(try eventuallyBlocking { try views().synchronousCount == count }, "\(names)")
        }
        server.signal(SIGCONT, to: "checkpointer")
    }

    @Test func `slots and senders that can't take over do not count`() {
        let tool = ReplicationViews.Slot(name: "r", activePID: 2, restart: 5)
        #expect(Self.standbys([tool], [Self.sender(2, "pg_receivewal")], [tool]) == [])
        let logical = ReplicationViews.Slot(
            name: "l", activePID: 3, restart: 5, isPhysical: false)
        #expect(Self.standbys([logical], [Self.sender(3, "sub")], [logical]) == [])
        #expect(Self.standbys([], [Self.sender(3, "sub")], [logical]) == [])
        let unused = ReplicationViews.Slot(name: "u", activePID: nil, restart: nil)
        #expect(Self.standbys([unused], [], [unused]) == [])
        let temporary = ReplicationViews.Slot(
            name: "pg_walreceiver_4", activePID: 4, restart: 5, isTemporary: true)
        #expect(
            Self.standbys([temporary], [Self.sender(4, "walreceiver")], [temporary])
                == ["walreceiver ::1 7"])
        let backup = ReplicationViews.Slot(
            name: "pg_basebackup_4", activePID: 4, restart: 5, isTemporary: true)
        #expect(Self.standbys([backup], [Self.sender(4, "copy")], [backup]) == [])
    }

    @Test func `a disconnected standby has a slot, and a connected one a position`() async throws {
        let server = try TestServer()
        let standby = try server.makeStandby()
        defer { withExtendedLifetime(standby) {} }
        try server.execute("SELECT pg_create_physical_replication_slot('away', true)")
        let connection = try Connection.open(server.settings, deadline: .now + .seconds(30))
        // It may still be connecting.
        let isSeen = try await eventually {
            let seen = try connection.readReplicationViews().standbys.sorted { $0.name < $1.name }
            return seen.map(\.name) == ["away", "standby"]
                && seen.map(\.hasSlot) == [true, false]
                && seen.map(\.address) == ["", "127.0.0.1"]
        }
        #expect(isSeen)
        // It reports its position from time to time.
        #expect(
            try await eventually {
                try connection.readReplicationViews().standbys.allSatisfy { $0.flushed ?? 0 > 0 }
            })
    }
}
