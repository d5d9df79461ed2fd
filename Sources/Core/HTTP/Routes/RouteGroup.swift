/// The routes of one system, and what they have in common.
public struct RouteGroup: Sendable {
    /// Whether a route is answered while there is no room for others.
    enum Urgency: Int, Comparable {
        case usual
        /// What operators and their programs ask to see how the server is: answered also while
        /// there is no room for another connection (``ConnectionPlaces``).
        case probe
        /// A probe that is answered also while too many answers wait to be read.
        case health

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }
    }

    let routes: [Route]
    let envelope: ErrorEnvelope
    /// Paths that are the system's but none of its routes.
    let others: [String]
    let othersLabel: String
    let urgency: Urgency
    let explain: @Sendable (any Error) -> RequestFailure?

    /// - Parameters:
    ///   - routes: in the order in which they are tried.
    ///   - envelope: the form of the system's errors.
    ///   - others: further paths whose 404 has the system's form, such as `/things/**`.
    ///   - othersLabel: the `route` label of metrics for these.
    ///   - explain: the failure for an error of the system's own; nil if a client gets no details.
    public init(
        _ routes: [Route], envelope: ErrorEnvelope, others: [String] = [],
        othersLabel: String = "other",
        explain: @escaping @Sendable (any Error) -> RequestFailure? = { _ in nil }
    ) {
        self.init(
            routes, envelope: envelope, others: others, othersLabel: othersLabel, urgency: .usual,
            explain: explain)
    }

    init(
        _ routes: [Route], envelope: ErrorEnvelope = .detail, others: [String] = [],
        othersLabel: String = "other", urgency: Urgency,
        explain: @escaping @Sendable (any Error) -> RequestFailure? = { _ in nil }
    ) {
        self.routes = routes
        self.envelope = envelope
        self.others = others
        self.othersLabel = othersLabel
        self.urgency = urgency
        self.explain = explain
    }
}
