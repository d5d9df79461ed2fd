import HTTP
import Foundation
import Glibc
import Ingest
import TestSupport
import Testing
import Uploads

@testable import Assembly
@testable import Server

/// A server with few open files.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FileBudgetTests {
    private func budget(
        _ limit: Int, cores: Int = 2, configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws(StartFailure) -> (FileBudget, ServiceConfiguration) {
        var configuration = ServiceConfiguration(apps: Product.apps)
        configure(&configuration)
        let budget = try FileBudget(
            configuration, limit: limit, cores: cores,
            databaseConnections: configuration.ingestion.lanes + 20)
        _ = budget.fit(&configuration)
        return (budget, configuration)
    }

    @Test(arguments: [256, 512, 1024, 4096, 20_000, 40_000, 1 << 20])
    func `what clients may open and the reserve fit into the limit`(_ limit: Int) throws {
        for lanes in [0, 4, 64] {
            let (budget, fitted) = try budget(limit) { $0.ingestion.lanes = lanes }
            let edge = fitted.edge
            let clients =
                edge.connectionsMax + edge.sockets.socketsMax + edge.surplusMax
                + 2 * fitted.routes.uploadsMax + fitted.routes.downloadsMax
            #expect(clients + budget.reserve <= limit)
            #expect(edge.faults.isEmpty)
            #expect(edge.connectionsMax >= 16 && edge.surplusMax >= 16)
            #expect(edge.connectionsMax >= min(8192, (limit - budget.reserve) / 4))
            #expect(fitted.ingestion.lanes == min(lanes, limit / 16))
            let isWhole = limit >= 20_000
            #expect((edge.connectionsMax == 8192) == isWhole)
            #expect((edge.sockets.socketsMax == 8192) == isWhole)
        }
    }

    @Test func `what does not fit is refused with what would`() throws {
        let failure = #expect(throws: StartFailure.self) { try budget(128) }
        guard case .filesTooFew(128, let needed)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(throws: Never.self) { try budget(needed) }
        #expect(throws: StartFailure.self) { try budget(needed - 1) }
    }

    @Test func `a server that may open few files answers however many connect`() async throws {
        let (environment, _) = try Fixtures.environment(
            "few_files", ["SLUICE_IDLE_TIMEOUT": "60s"])
        let server = try await RunningServer.start(environment: environment, filesMax: 256)
        #expect(server.log.contains("open_files_max=256"), "\(server.log)")
        #expect(server.log.contains("SLUICE_CONNECTIONS_MAX="))
        let port = try #require(server.url.split(separator: ":").last.flatMap { UInt16($0) })
        let clients = (0..<600).compactMap { _ in Self.connect(port) }
        defer { for client in clients { close(client) } }
        #expect(clients.count > 256)
        for _ in 0..<5 {
            let health = try await Answer.curl([
                "--max-time", "5", "--interface", "127.0.0.2", server.url + "/health",
            ])
            #expect(health.status == 200)
            #expect(try await server.post(Fixtures.sample).status == 200)
            let upload = try await Answer.curl(
                [
                    "--max-time", "20", "-F", "file=@-;type=image/jpeg;filename=a.jpg",
                    server.url + "/upload/a",
                ], input: "no picture")
            #expect(upload.status < 500, "\(upload)")
        }
        #expect(server.isRunning)
        #expect(!server.log.contains("Too many open files"), "\(server.log)")
        let doctor = try await Subprocess.sluice("doctor", environment: environment)
        #expect(doctor.out.contains("256 open files"), "\(doctor.out)")
        #expect(
            doctor.out.contains(#/SLUICE_CONNECTIONS_MAX=\d+\s+instead\s+of\s+8192/#),
            "\(doctor.out)")
        #expect(try await server.end() == 0)
    }

    @Test func `a server that may open too few files says how many it needs`() async throws {
        let (environment, _) = try Fixtures.environment("too_few_files")
        let outcome = try await Subprocess.run(
            "/bin/sh",
            ["-c", "ulimit -n 100 && exec \"$0\" serve --port 0", Subprocess.sluice],
            environment: environment)
        #expect(outcome.status == 71, "\(outcome.err)")
        #expect(outcome.err.contains("the limit of open files is 100"), "\(outcome.err)")
        #expect(outcome.err.contains("LimitNOFILE"))
    }

    /// A connection that says nothing; nil if the server's queue is full.
    private static func connect(_ port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var wait = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
