import Fleet

extension Scenario {
    /// One line per field, as pretty printers write. A third of the bytes is white space.
    static let indented = Scenario(name: "indented", goal: 1.0, isOrdered: true) {
        Corpus(
            model: Corpus.model(seed: $1), readings: $0, batch: 1000,
            layout: Layout(order: .canonical, isIndented: true))
    }
}
