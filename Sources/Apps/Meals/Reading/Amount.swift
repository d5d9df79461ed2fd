/// The amount that a sentence gives for a food.
struct Amount: Sendable, Equatable {
    /// The precision of the number.
    enum Certainty: Sendable, Equatable {
        /// Given exactly: "2", "a dozen", "½".
        case said
        /// Implied by an article or a unit: "a", "cup of".
        case one
        /// Approximate: "a few", "2–3", "some slices".
        case about
    }

    var quantity: Double
    var certainty: Certainty
    var unit: Measure?
    /// The word for the size: "small", "large", "grande".
    var size: String?
    /// The diameter or length that the sentence gives: "a 10 inch quiche".
    var inches: Double?
    /// Words about the food that stand before the unit.
    var adjectives: [String] = []
    /// A half, a quarter, ⅔. Without a unit it is a part of the whole food.
    var isFraction = false
    /// The part that the quantity is of something larger: ½ for 250 g, "half of 500 g".
    var part: Double?
    /// In addition to the amount before: "another one", "2 more".
    var isMore = false
    /// Of one of several: "two cans of sardines, 120 g each".
    var isEach = false
    /// The container of the measured amount: "the 200 g bag".
    var vessel: String?
}
