import Logging
import Postgres
import Repetition
import ServiceLifecycle

/// Restarts the private cluster's server when it has ended. Until then batches go to the spool.
struct ClusterKeeper: Service {
    let cluster: PrivateCluster
    let logger: Logger

    private static let interval: Duration = .seconds(1)
    private static let intervalMax: Duration = .seconds(30)

    func run() async throws {
        await Repetition.run(Self.interval, after: Self.interval) { pause in
            if Task.isCancelled { return nil }
            switch await value(of: Task { await revive() }) {
            case nil: return nil
            case .success(let isRevived):
                pause = Self.interval
                if isRevived {
                    logger.warning("the private PostgreSQL had ended and was restarted")
                }
            case .failure(let error):
                pause = min(pause * 2, Self.intervalMax)
                logger.error(
                    "the private PostgreSQL has ended and can't be restarted",
                    metadata: ["error": "\(error)"])
            }
            return pause
        }
    }

    private func revive() async -> Result<Bool, ClusterError> {
        let cluster = cluster
        do throws(ClusterError) {
            return .success(
                try await blocking { () throws(ClusterError) in try cluster.revive() })
        } catch {
            return .failure(error)
        }
    }
}
