import Media
import ServiceLifecycle

/// Stops making thumbnails as soon as the server begins to stop: their requests are not worth
/// waiting for.
struct ThumbnailStop: Service {
    let inspector: Inspector

    func run() async throws {
        try? await gracefulShutdown()
        inspector.stopThumbnails()
    }
}
