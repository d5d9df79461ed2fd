/// The state of `sluice top`.
public struct TopState: Equatable, Sendable {
    /// The state of the connection.
    public enum Link: Equatable, Sendable {
        /// Not connected yet.
        case connecting
        /// Reports arrive.
        case live
        /// The connection was lost and is being retried; `why` is a short reason.
        case lost(secondsAgo: Int, why: String)
    }

    /// The server's URL, without credentials.
    public var url: String
    /// The state of the connection.
    public var link: Link
    /// The newest report; nil before the first one.
    public var report: StatusReport?
    /// Text for the right end of the first line, shown if there is room.
    public var hint = ""
    /// Time since another process answered at this URL; nil: it is still the first one.
    public var restartedSecondsAgo: Int?

    /// The state before the first report.
    public init(url: String) {
        self.url = url
        link = .connecting
    }
}
