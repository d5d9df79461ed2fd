import Ingest
import Postgres
import Readings
import ServiceLifecycle

/// The lanes and the spool in the service group. They work on their own; this only finishes them.
struct LanesService: Service {
    let ingestor: Ingestor
    /// How long lanes may still commit after the last client is gone; the rest goes to the spool.
    let drainMax: Duration

    /// A hurried stop does not finish the lanes: the data that they hold was not acknowledged.
    func run() async throws {
        try await gracefulShutdown()
        let (finished, signal) = AsyncStream.makeStream(of: Void.self)
        Task {
            await ingestor.finish(by: .now + drainMax)
            signal.finish()
        }
        // Ends with the stream, or when this task is cancelled.
        for await _ in finished {}
    }
}
