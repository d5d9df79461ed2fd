import Fleet

extension Scenario {
    /// The canonical bodies in the pieces in which they arrive over Ethernet, against the same
    /// bodies in one piece.
    static let cutBodies = Scenario(
        name: "cut at each 1460 bytes", goal: 0.8, opponent: .wholeBodies, isOrdered: true,
        chunkBytes: 1460
    ) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .canonical))
    }
}
