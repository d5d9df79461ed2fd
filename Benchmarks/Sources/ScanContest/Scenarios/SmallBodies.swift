import Fleet

extension Scenario {
    /// Three readings per body, as the seed's client sends them. The envelope costs as much as
    /// the readings. The scanner has seen the devices before.
    static let smallBodies = Scenario(name: "3-reading bodies", goal: 0.7, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 3, layout: Layout(order: .canonical)
        )
    }

    /// The same bodies, each as if it were the first of its device. The scanner reads,
    /// lower-cases and hashes every envelope, which the opponent does not do.
    static let smallBodiesOfStrangers = Scenario(
        name: "3 readings, unknown devices", goal: 0.35, isOrdered: true, knowsSenders: false,
        corpus: smallBodies.corpus)
}
