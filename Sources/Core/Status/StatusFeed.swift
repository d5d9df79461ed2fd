/// The source of this server's reports, one a second.
public protocol StatusFeed: Sendable {
    /// Reports as JSON texts without line breaks, until the server stops.
    ///
    /// The newest existing report is delivered at once. A slow reader gets only the newest.
    /// Releasing the stream ends the subscription.
    func reports() -> AsyncStream<String>

    /// The last hour of the plotted figures, as a JSON text without line breaks; nil while there
    /// are none.
    func history() -> String?
}
