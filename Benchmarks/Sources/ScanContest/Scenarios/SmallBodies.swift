import Fleet

extension Scenario {
    /// Three readings a body, as the seed's client sends them: the envelope weighs as much.
    static let smallBodies = Scenario(name: "3-reading bodies", goal: 1.5, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 3, layout: Layout(order: .canonical)
        )
    }
}
