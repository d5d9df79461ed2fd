/// How much of something a sentence says.
struct Amount: Sendable, Equatable {
    /// How sure the number is.
    enum Certainty: Sendable, Equatable {
        /// Said: 2, a dozen, ½.
        case said
        /// An article, or a unit alone: a, cup of.
        case one
        /// About: a few, 2–3, some slices.
        case about
    }

    var quantity: Double
    var certainty: Certainty
    var unit: Measure?
    /// Small, large, grande.
    var size: String?
    /// Half, a quarter, ⅔: of the whole thing where no unit is said.
    var isFraction = false
    /// Beside what was said before: "another one", "2 more".
    var isMore = false
    /// What the measured amount comes in: "the 200 g bag".
    var vessel: String?
}
