import Fleet

extension Scenario {
    /// A new order in each reading: nothing to predict.
    static let randomOrder = Scenario(name: "random order per reading", goal: 1.2) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .random($1)))
    }
}
