/// The paths of the status page: everything below `/status`.
extension Route {
    /// - Parameter path: with the slash in front, without one at the end.
    static func ofStatus(_ path: Substring) -> Route? {
        switch path {
        case "/status": .status
        case "/status/session": .statusSession
        case "/status/events": .statusEvents
        case "/status/positions": .statusPositions
        default:
            path.hasPrefix("/status/page/") && !path.dropFirst("/status/page/".utf8.count).isEmpty
                && !path.dropFirst("/status/page/".utf8.count).contains("/")
                ? .statusPage : nil
        }
    }
}
