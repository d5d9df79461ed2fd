import Edge
import Foundation
import Glibc
import Ingestion
import Instruments
import Logging
import Postgres
import ServiceLifecycle
import Spooling

/// Returns memory that is free after a burst of work to the system.
///
/// glibc keeps freed memory in the arenas of the threads that allocated it, so an idle process
/// would hold the memory of its busiest moment. Every ``interval`` without a burst, its
/// `malloc_trim` releases all free whole pages. Without such a function nothing happens.
struct MemoryKeeper: Service {
    let edge: EdgeServer
    let logger: Logger

    static let interval: Duration = .seconds(30)
    /// Body bytes in flight that count as a burst: memory freed then is soon needed again.
    private static let busyBytesMin = 1 << 20

    private typealias Trim = @convention(c) @Sendable (Int) -> Int32
    /// Neither the function nor `RTLD_DEFAULT`, which is nil, is declared for Swift.
    private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }

    func run() async throws {
        guard Self.trim != nil else { return }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if Task.isCancelled { return }
                if edge.inFlightBytes < Self.busyBytesMin { await giveBack() }
            }
        }
    }

    private func giveBack() async {
        let began = ContinuousClock.now
        // malloc_trim waits for each arena's lock, so it runs on a separate thread.
        await blocking { _ = Self.trim?(0) }
        logger.debug(
            "returned free memory to the system",
            metadata: ["took": "\(ContinuousClock.now - began)"])
    }
}

/// Writes the private cluster's tables to disk steadily, because bursts delay commits.
struct WritebackKeeper: Service {
    let cluster: PrivateCluster

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pacer = cluster.makeWritebackPacer()
            while !Task.isCancelled {
                pacer = await Self.pace(pacer)
                try? await Task.sleep(for: WritebackPacer.interval)
            }
        }
    }

    private static func pace(_ pacer: WritebackPacer) async -> WritebackPacer {
        await blocking {
            var pacer = pacer
            pacer.pace()
            return pacer
        }
    }
}

/// The configured limits as gauges, with which alerts and panels compare usage, and the version.
struct LimitFigures: MetricSource {
    let version: String
    let laneBytesMax: Int
    /// 0: there is no spool.
    let spoolBytesMax: Int
    let connectionsMax: Int
    let socketsMax: Int
    let inFlightBytesMax: Int

    init(_ configuration: ServiceConfiguration, version: String) {
        self.version = version
        laneBytesMax = configuration.ingestion.laneBytesMax
        let hasSpool = configuration.spool.bytesMax > 0
        spoolBytesMax = hasSpool ? configuration.fittingSpool.bytesMax : 0
        connectionsMax = configuration.edge.connectionsMax
        socketsMax = configuration.edge.sockets.socketsMax
        inFlightBytesMax = configuration.edge.inFlightBytesMax
    }

    func expose(to text: inout MetricText) {
        text.family("sluice_build_info", .gauge, help: "Always 1; the label is the version.")
        text.sample(1, labels: [MetricLabel("version", version)])
        func limit(_ name: String, _ value: Int, _ help: String) {
            text.family(name, .gauge, help: help)
            text.sample(value)
        }
        limit(
            "sluice_lane_waiting_bytes_max", laneBytesMax,
            "Limit of the bytes of batches queued for one lane.")
        limit(
            "sluice_spool_bytes_max", spoolBytesMax,
            "Limit of the bytes of the spool's files; 0: there is no spool.")
        limit(
            "sluice_http_connections_max", connectionsMax, "Limit of open connections.")
        limit("sluice_sockets_max", socketsMax, "Limit of open WebSockets.")
        limit(
            "sluice_http_in_flight_bytes_max", inFlightBytesMax,
            "Limit of the bytes of bodies that were received and not yet answered.")
    }
}
