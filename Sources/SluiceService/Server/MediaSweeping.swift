import Foundation
import Logging
import MediaStorage
import ServiceLifecycle

/// Removes, once an hour, files that no row names and what crashed uploads left.
struct MediaSweeping: Service {
    let library: MediaLibrary
    let logger: Logger

    private static let interval: Duration = .seconds(3600)
    /// After a start there is other work to do.
    private static let delay: Duration = .seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            try? await Task.sleep(for: Self.delay)
            while !Task.isCancelled {
                await sweep()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func sweep() async {
        do {
            let figures = try await library.sweep()
            guard figures.objectsRemoved + figures.leftoversRemoved > 0 else { return }
            logger.info(
                "removed files that nothing names",
                metadata: [
                    "files": "\(figures.objectsRemoved)",
                    "leftovers": "\(figures.leftoversRemoved)",
                ])
        } catch is CancellationError {
        } catch {
            logger.warning(
                "files that nothing names could not be removed; that is tried again",
                metadata: ["error": "\(error)"])
        }
    }
}
