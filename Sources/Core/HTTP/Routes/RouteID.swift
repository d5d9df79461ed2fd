/// Names a known path: its place in the ``RouteTable``.
struct RouteID: Equatable, Sendable {
    let index: Int

    /// Any path that the table does not know.
    static let other = RouteID(index: 0)
    static let ingest = RouteID(index: 1)
}
