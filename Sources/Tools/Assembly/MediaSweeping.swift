import Logging
import Media
import Repetition
import ServiceLifecycle

/// Removes unreferenced files and leftovers of crashed uploads, once an hour.
struct MediaSweeping: Service {
    let library: MediaLibrary
    let logger: Logger

    private static let interval: Duration = .seconds(3600)
    /// Lets a start's other work go first.
    private static let delay: Duration = .seconds(60)

    func run() async throws {
        await Repetition.run(every: Self.interval, after: Self.delay) { await sweep() }
    }

    private func sweep() async {
        do {
            let figures = try await library.sweep()
            if figures.failed > 0 {
                logger.warning(
                    "files could not be removed; sluice doctor names them",
                    metadata: ["failed": "\(figures.failed)"])
            }
            guard figures.objectsRemoved + figures.leftoversRemoved > 0 else { return }
            logger.info(
                "removed unreferenced files",
                metadata: [
                    "files": "\(figures.objectsRemoved)",
                    "leftovers": "\(figures.leftoversRemoved)",
                ])
        } catch is CancellationError {
        } catch {
            logger.warning(
                "unreferenced files could not be removed; this is retried",
                metadata: ["error": "\(error)"])
        }
    }
}
