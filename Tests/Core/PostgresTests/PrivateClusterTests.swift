import Foundation
@testable import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PrivateClusterTests {
    private func note(_ cluster: PrivateCluster, _ sql: String) throws -> Rows {
        try Connection.open(cluster.settings, deadline: .now + .seconds(30)).query(sql)
    }

    private func isRoot() -> Bool { geteuid() == 0 }

    @Test func `a cluster keeps its data across a stop, a kill and a stale pid file`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }

        var cluster = try TestCluster.startServer(dataDirectory: directory)
        #expect(cluster.start == .created)
        _ = try note(cluster, "CREATE TABLE kept AS SELECT 1 AS n")
        let settings = try note(
            cluster,
            """
            SELECT current_setting('listen_addresses'), current_setting('data_checksums'),
                current_setting('server_encoding'), datcollate
            FROM pg_database WHERE datname = current_database()
            """)
        #expect((0..<4).map { settings.string(0, $0) } == ["", "on", "UTF8", "C"])

        // The same directory is opened again while this cluster runs.
        let error = #expect(throws: ClusterError.self) {
            try TestCluster.startServer(dataDirectory: directory)
        }
        guard case .dataDirectoryInUse(_, getpid()) = error else {
            Issue.record("\(String(describing: error))")
            return
        }

        try cluster.stop()
        #expect(cluster.processID == nil)
        cluster = try TestCluster.startServer(dataDirectory: directory)
        #expect(cluster.start == .started)
        _ = try note(cluster, "INSERT INTO kept VALUES (2)")

        // kill -9 of the postmaster. Its backends end when they notice.
        let killed = try #require(cluster.processID)
        kill(killed, SIGKILL)
        #expect(ServerProcess.awaitNone(inDirectory: cluster.home + "/data", limit: .seconds(120)))
        try cluster.stop()
        #expect(ClusterFiles.exists(cluster.home + "/data/postmaster.pid"))
        cluster = try TestCluster.startServer(dataDirectory: directory)
        #expect(cluster.start == .started)
        #expect(try note(cluster, "SELECT count(*) FROM kept").int64(0, 0) == 2)

        // A pid file whose process id now belongs to another process of the same user.
        let file = cluster.home + "/data/postmaster.pid"
        let text = try #require(ClusterFiles.read(file))
        try cluster.stop()
        let user = try ServerUser.current()
        let sleeper = Command(
            program: "/bin/sh", arguments: ["-c", "sleep 100 >/dev/null 2>&1 & echo $!"], user: user
        )
        let stranger = try #require(try Int32(sleeper.run(limit: .seconds(60))))
        defer { kill(stranger, SIGKILL) }
        let rest = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        try ClusterFiles.write(
            ([String(stranger)] + rest.map(String.init)).joined(separator: "\n"), to: file,
            mode: 0o600, owner: user)
        cluster = try TestCluster.startServer(dataDirectory: directory)
        #expect(cluster.start == .started)
        #expect(kill(stranger, 0) == 0)
        #expect(try note(cluster, "SELECT count(*) FROM kept").int64(0, 0) == 2)
        try cluster.stop()
    }

    @Test func `only the last lines of a long log are shown`() throws {
        let path = TestCluster.freshDirectory()
        defer { unlink(path) }
        let lines = (0..<20_000).map { "line \($0)" }
        try ClusterFiles.write(lines.joined(separator: "\n"), to: path, mode: 0o600, owner: nil)
        #expect(ClusterFiles.lastLines(2, of: path) == ["line 19998", "line 19999"])
        try ClusterFiles.write("one\n", to: path, mode: 0o600, owner: nil)
        #expect(ClusterFiles.lastLines(2, of: path) == ["one"])
        #expect(ClusterFiles.lastLines(2, of: path + ".none") == [])
    }

    @Test func `a server that outlived its sluice process is adopted`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        var cluster: PrivateCluster? = try TestCluster.startServer(dataDirectory: directory)
        let process = try #require(cluster?.processID)
        // The server has its own session, so signals to the process group of the test do not
        // reach it.
        #expect(getsid(process) != getsid(0))
        cluster = nil  // gone without stop, as after kill -9: the lock ends, the server does not
        let adopted = try TestCluster.startServer(dataDirectory: directory)
        #expect(adopted.start == .adopted)
        #expect(adopted.processID == process)
        #expect(try note(adopted, "SELECT 1::int8").int64(0, 0) == 1)
        try adopted.stop()
        #expect(adopted.processID == nil)
    }

    @Test func `an adopted server that is killed comes back where its clients look for it`() throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let analysts = AnalystListener(port: 0, role: "analyst")
        var cluster: PrivateCluster? = try TestCluster.startServer(
            dataDirectory: directory, analysts: analysts)
        let process = try #require(cluster?.processID)
        cluster = nil
        let adopted = try TestCluster.startServer(dataDirectory: directory, analysts: analysts)
        #expect(adopted.start == .adopted)
        #expect(kill(process, SIGKILL) == 0)
        while adopted.processID != nil { usleep(1_000) }
        #expect(try adopted.revive())
        #expect(try note(adopted, "SELECT 1::int8").int64(0, 0) == 1)
        try adopted.stop()
    }

    @Test func `clusters that start at one moment take a port each`() throws {
        let directories = (0..<3).map { _ in TestCluster.freshDirectory(isServers: true) }
        defer { for directory in directories { TestCluster.discard(directory) } }
        let ports = Mutex<[Int]>([])
        let ended = DispatchGroup()
        for directory in directories {
            ended.enter()
            Thread.detachNewThread {
                defer { ended.leave() }
                do {
                    let cluster = try TestCluster.startServer(
                        dataDirectory: directory,
                        analysts: AnalystListener(port: 0, role: "analyst"))
                    ports.withLock { $0 += cluster.analystPort.map { [$0] } ?? [] }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        ended.wait()
        // Each listens, and none has another's port.
        #expect(Set(ports.withLock { $0 }).count == directories.count, "\(ports.withLock { $0 })")
    }

    @Test func `the server inherits no open files`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let here = try #require(ClusterFiles.linkTarget("/proc/self/fd/\(ends[1])"))
        #expect(here.hasPrefix("pipe:["))
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        let process = try #require(cluster.processID)
        let open = ClusterFiles.list("/proc/\(process)/fd").compactMap {
            ClusterFiles.linkTarget("/proc/\(process)/fd/\($0)")
        }
        #expect(open.contains("/dev/null"), "what it has open can't be read: \(open)")
        #expect(!open.contains(here))
        try cluster.stop()
    }

    @Test func `an operator's own port is used`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let (cluster, port) = try TestCluster.startListeningServer(
            dataDirectory: directory, password: "secret")
        #expect(cluster.start == .started)
        #expect(cluster.settings.port == "\(port)")
        #expect(try note(cluster, "SELECT 1::int8").int64(0, 0) == 1)
        let running = try #require(PrivateCluster.runningSettings(dataDirectory: directory))
        #expect(running == cluster.settings)
        let remote = try ConnectionSettings(
            "postgresql://writer:secret@127.0.0.1:\(port)/telemetry")
        let connection = try Connection.open(remote, deadline: .now + .seconds(30))
        #expect(try connection.query("SELECT inet_server_port()::int8").int64(0, 0) == port)
        connection.close()
        try cluster.stop()
        // Also while it does not run.
        #expect(try Self.deferred(directory).settings == running)
    }

    /// Opens the cluster as a server does that has served before.
    private static func deferred(_ directory: String) throws -> PrivateCluster {
        var configuration = PrivateCluster.Configuration(dataDirectory: directory)
        configuration.isThrowaway = true
        configuration.path = getenv("PATH").map { String(cString: $0) }
        configuration.binDirectory = getenv("SLUICE_POSTGRES_BIN").map { String(cString: $0) }
        return try PrivateCluster(configuration, isDeferred: true)
    }

    @Test func `a deferred start is done by revive, and no start follows a stop`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        try TestCluster.startServer(dataDirectory: directory).stop()
        // Stopped at any moment of its start.
        for pause in [0, 20_000, 100_000, 300_000] as [UInt32] {
            let cluster = try Self.deferred(directory)
            #expect(cluster.start == .deferred && cluster.processID == nil)
            let start = Task.detached { _ = try? cluster.revive() }
            usleep(pause)
            try cluster.stop()
            await start.value
            #expect(cluster.processID == nil)
            #expect(try !cluster.revive())
        }
        let cluster = try Self.deferred(directory)
        #expect(try cluster.revive())
        #expect(try note(cluster, "SELECT 1::int8").int64(0, 0) == 1)
        #expect(try !cluster.revive())
        try cluster.stop()
    }

    @Test func `a frozen server is adopted without waiting, and stopped`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        var cluster: PrivateCluster? = try TestCluster.startServer(dataDirectory: directory)
        let process = try #require(cluster?.processID)
        cluster = nil
        kill(process, SIGSTOP)
        let adopted = try Self.deferred(directory)
        #expect(adopted.start == .adopted && adopted.processID == process)
        try adopted.stop()
        #expect(adopted.processID == nil)
    }

    @Test func `an open transaction does not delay the stop`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        try connection.execute("BEGIN; CREATE TABLE t ()")
        // If the stop waited for the transaction, it would reach this limit and skip the
        // checkpoint.
        try cluster.stop(limit: .seconds(900))
        #expect(throws: PostgresError.self) { try connection.execute("SELECT 1") }
    }

    @Test func `a frozen server is stopped in the end`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        let backend = connection.backendID
        kill(backend, SIGSTOP)
        // A fast shutdown waits for the frozen backend. The immediate shutdown kills it after 5
        // s.
        try cluster.stop(limit: .milliseconds(200))
        #expect(kill(backend, 0) == -1)
    }

    @Test func `an incomplete cluster is created again`() throws {
        let directory = TestCluster.freshDirectory(isServers: true)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        try ClusterFiles.makeDirectory(directory + "/postgres/data.new/base", mode: 0o755)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        #expect(cluster.start == .created)
        try cluster.stop()
    }

    @Test func `a deep data directory has its socket in another directory`() throws {
        let root = TestCluster.freshDirectory()
        let directory = root + "/" + Array(repeating: "deeper", count: 15).joined(separator: "/")
        defer {
            try? PrivateCluster.discard(dataDirectory: directory)
            ClusterFiles.removeTree(root)
        }
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        let host = try #require(cluster.settings.host)
        defer { ClusterFiles.removeTree(host) }
        #expect(!host.hasPrefix(directory))
        #expect(host.utf8.count < 60)
        var status = stat()
        #expect(lstat(host, &status) == 0 && status.st_mode & 0o777 == 0o700)
        try cluster.stop()
    }

    @Test func `a socket directory of another user is not used`() throws {
        let root = TestCluster.freshDirectory()
        defer { ClusterFiles.removeTree(root) }
        let directory = root + "/" + Array(repeating: "deeper", count: 15).joined(separator: "/")
        try ClusterFiles.makeDirectory(directory, mode: 0o755)
        let user = try ServerUser.current()
        let socketDirectory = try ClusterLayout(dataDirectory: directory, user: user)
            .socketDirectory
        defer { ClusterFiles.removeTree(socketDirectory) }
        chmod(socketDirectory, 0o777)
        #expect(throws: ClusterError.directoryUnsafe(path: socketDirectory)) {
            try ClusterLayout(dataDirectory: directory, user: user)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root's server runs as another user, outside a directory that only root can read`() throws
    {
        let directory = "/root/sluice-test-\(getpid())"
        defer { ClusterFiles.removeTree(directory) }
        mkdir(directory, 0o700)
        let user = try #require(try ServerUser.current())
        guard try !user.reaches(directory) else { return }  // a /root that is open to all
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        defer { try? PrivateCluster.discard(dataDirectory: directory) }
        #expect(cluster.home.hasPrefix("/var/lib/sluice-postgres/sluice-test-\(getpid())-"))
        #expect(cluster.notices.count == 1)
        #expect(ClusterFiles.linkTarget(directory + "/postgres") == cluster.home)
        var status = stat()
        #expect(stat("/proc/\(try #require(cluster.processID))", &status) == 0)
        #expect(status.st_uid == user.id && user.id != 0)
        _ = try note(cluster, "CREATE TABLE kept AS SELECT 1 AS n")
        try cluster.stop()
        let again = try TestCluster.startServer(dataDirectory: directory)
        #expect(again.start == .started)
        #expect(again.home == cluster.home)
        #expect(try note(again, "SELECT count(*) FROM kept").int64(0, 0) == 1)
        try again.stop()
    }

    @Test func `without PostgreSQL's programs the error names what to install`() {
        let directory = TestCluster.freshDirectory()
        defer { ClusterFiles.removeTree(directory) }
        var configuration = PrivateCluster.Configuration(dataDirectory: directory)
        configuration.binDirectory = "/nonexistent"
        let error = #expect(throws: ClusterError.self) { try PrivateCluster(configuration) }
        #expect(error == .serverMissing(searched: ["/nonexistent"]))
        #expect(error.map { "\($0)".contains("apt-get install postgresql") } == true)
    }

    @Test func `a cluster of a version that is not installed is not changed`() throws {
        let directory = TestCluster.freshDirectory()
        defer { ClusterFiles.removeTree(directory) }
        try ClusterFiles.makeDirectory(directory + "/postgres/data", mode: 0o755)
        try ClusterFiles.write(
            "9\n", to: directory + "/postgres/data/PG_VERSION", mode: 0o644, owner: nil)
        let error = #expect(throws: ClusterError.self) {
            try TestCluster.startServer(dataDirectory: directory)
        }
        guard case .versionMissing("9", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a durable cluster loses nothing that was committed`() throws {
        let directory = TestCluster.freshDirectory()
        var configuration = PrivateCluster.Configuration(dataDirectory: directory)
        let cluster = try {
            configuration.path = "/usr/bin"
            return try PrivateCluster(configuration)
        }()
        defer {
            try? cluster.stop()
            ClusterFiles.removeTree(cluster.home)
            ClusterFiles.removeTree(directory)
        }
        let rows = try note(
            cluster,
            """
            SELECT bool_and(current_setting(name) = 'on')
            FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) name
            """)
        #expect(rows.bool(0, 0))
        #expect(throws: ClusterError.self) {
            try cluster.stop()
            try PrivateCluster.discard(dataDirectory: directory)
        }
    }

    @Test(arguments: [(256, 64), (4096, 512), (23_000, 2875), (1_000_000, 4096)])
    func `shared memory depends on the machine's memory`(memoryMegabytes: Int, expected: Int) {
        let memoryBytes = memoryMegabytes * 1_048_576
        #expect(ServerSettings.sharedBufferMegabytes(memoryBytes: memoryBytes) == expected)
    }
}
