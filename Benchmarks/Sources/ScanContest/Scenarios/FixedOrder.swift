import Fleet

extension Scenario {
    /// A different order of fields, but the same in every reading of a kind, as from an encoder
    /// that hashes its keys.
    static let fixedOrder = Scenario(name: "any fixed order", goal: 2.2) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000, layout: Layout(order: .fixed))
    }
}
