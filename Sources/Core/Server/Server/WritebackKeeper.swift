import Postgres
import Repetition
import ServiceLifecycle

/// Writes the private cluster's tables to disk steadily, because bursts delay commits.
struct WritebackKeeper: Service {
    let cluster: PrivateCluster

    func run() async throws {
        await Repetition.run(cluster.makeWritebackPacer()) { pacer in
            pacer = await Self.pace(pacer)
            return WritebackPacer.interval
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
