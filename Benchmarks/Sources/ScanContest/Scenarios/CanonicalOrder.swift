import Fleet

extension Scenario {
    /// Compact bodies with the fields in the order of the seed's sample, as most clients send
    /// them.
    static let canonicalOrder = Scenario(name: "canonical order", goal: 2.2, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .canonical))
    }
}
