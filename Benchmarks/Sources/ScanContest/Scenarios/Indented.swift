import Fleet

extension Scenario {
    /// A line for each field, as pretty printers write: a third of the bytes is space.
    static let indented = Scenario(name: "indented", goal: 0.8, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .canonical, isIndented: true))
    }
}
