import Fleet

extension Scenario {
    /// Escaped and non-ASCII texts, doubles of up to 17 digits, all formats of time.
    static let escapesAndDigits = Scenario(
        name: "escapes, non-ASCII, 17 digits", goal: 1.0, isOrdered: true
    ) {
        Corpus(
            model: Corpus.model(seed: $1, spelling: .mixed, metadataPerMillion: 0), readings: $0,
            batch: 1000, layout: Layout(order: .canonical))
    }
}
