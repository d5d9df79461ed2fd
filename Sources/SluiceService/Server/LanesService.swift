import Ingestion
import ServiceLifecycle

/// The lanes and the spool as a part of the service group: they work by themselves; this waits for
/// the end.
struct LanesService: Service {
    let ingestor: Ingestor
    /// How long the lanes go on committing when all clients are gone; the rest goes to the spool.
    let drainMax: Duration

    /// In a hurry the lanes are left as they are: what they hold was not acknowledged.
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
