/// Which application serves the WebSockets of a path.
struct SocketPath: Sendable {
    let application: any SocketApplication
    private let match: @Sendable ([String]) -> SocketRoute?

    init(
        _ application: any SocketApplication,
        _ match: @escaping @Sendable ([String]) -> SocketRoute?
    ) {
        self.application = application
        self.match = match
    }

    /// Where a request target of this path leads; nil if there is nothing.
    ///
    /// - Parameter pattern: of the path.
    func route(_ target: String, _ pattern: RoutePattern) -> SocketRoute? {
        pattern.parameters(in: target).flatMap(match)
    }
}
