/// Whoever wants to see the reports of this server, a second apart.
public protocol StatusFeed: Sendable {
    /// Reports as JSON texts without a line break, until the server stops.
    ///
    /// The newest one that there is comes at once. Who reads slowly gets the newest only. Letting
    /// go of the stream ends the subscription.
    func reports() -> AsyncStream<String>
}
