import Fleet

extension Scenario {
    /// Three readings a body, as the seed's client sends them: the envelope weighs as much. The
    /// devices have posted before.
    static let smallBodies = Scenario(name: "3-reading bodies", goal: 1.5, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 3, layout: Layout(order: .canonical)
        )
    }

    /// The same as if each body were its device's first: every envelope is read, put in lower case
    /// and hashed, which the other side does not do.
    static let smallBodiesOfStrangers = Scenario(
        name: "3 readings, unknown devices", goal: 0.5, isOrdered: true, knowsSenders: false,
        corpus: smallBodies.corpus)
}
