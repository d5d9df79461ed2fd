import Ingestion
import ServiceLifecycle

/// The lanes as a part of the service group: they work by themselves; this waits for the end.
struct LanesService: Service {
    let ingestor: Ingestor

    /// In a hurry the lanes are left as they are: what they hold was not acknowledged.
    func run() async throws {
        try await gracefulShutdown()
        let (finished, signal) = AsyncStream.makeStream(of: Void.self)
        Task {
            await ingestor.finish()
            signal.finish()
        }
        // Ends with the stream, or when this task is cancelled.
        for await _ in finished {}
    }
}
