public import HTTP
public import Uploads

/// CaptureRoutes: memory captures over HTTP and WebSockets.
///
/// Authorization comes before anything else. A capture arrives on a socket (``CaptureSockets``), its
/// files by ``UploadRoute``; results are read by ``MemoryRoutes`` and ``MediaRoute``.
extension CaptureServices {
    /// The routes of memory captures, also of their sockets.
    ///
    /// - Parameter files: shared with the other systems that have files.
    public func routes(_ files: FileServices, _ sockets: CaptureSockets) -> RouteGroup {
        let systems = ["upload", "media", "memories", "init-user", "user", "ws/ios"]
        return RouteGroup(
            [UploadRoute(self, files).route, MediaRoute(self, files.downloads).route]
                + MemoryRoutes(self).routes + sockets.routes, envelope: .captures,
            others: systems.flatMap { ["/\($0)", "/\($0)/**"] }, othersLabel: "other captures",
            explain: RequestFailure.ofCaptures)
    }
}
