import Postgres
import ServiceLifecycle

/// Has the private cluster's tables written to disk steadily, not in bursts that delay commits.
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
