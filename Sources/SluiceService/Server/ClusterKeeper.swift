import Logging
import Postgres
import ServiceLifecycle

/// Starts the private cluster's server again when it has ended by itself; until it is back, batches go
/// to the spool.
struct ClusterKeeper: Service {
    let cluster: PrivateCluster
    let logger: Logger

    private static let interval: Duration = .seconds(1)
    private static let intervalMax: Duration = .seconds(30)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = Self.interval
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return }
                switch await value(of: Task { await revive() }) {
                case nil: return
                case .success(let isRevived):
                    pause = Self.interval
                    if isRevived {
                        logger.warning("the private PostgreSQL had ended and was started again")
                    }
                case .failure(let error):
                    pause = min(pause * 2, Self.intervalMax)
                    logger.error(
                        "the private PostgreSQL has ended and can't be started",
                        metadata: ["error": "\(error)"])
                }
            }
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
