import Fleet

extension Scenario {
    /// Another order, the same in every reading of a kind: an encoder that hashes its keys.
    static let fixedOrder = Scenario(name: "any fixed order", goal: 1.6) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000, layout: Layout(order: .fixed))
    }
}
