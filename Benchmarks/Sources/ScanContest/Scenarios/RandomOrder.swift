import Fleet

extension Scenario {
    /// A new order of fields in each reading, so nothing can be predicted.
    static let randomOrder = Scenario(name: "random order per reading", goal: 1.8) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .random($1)))
    }
}
