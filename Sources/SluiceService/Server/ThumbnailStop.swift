import Multimedia
import ServiceLifecycle

/// Ends the making of thumbnails as soon as the server is told to stop: requests for one are not worth
/// waiting for.
struct ThumbnailStop: Service {
    let inspector: Inspector

    func run() async throws {
        try? await gracefulShutdown()
        inspector.stopThumbnails()
    }
}
