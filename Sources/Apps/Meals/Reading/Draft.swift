/// An item before its amount is converted to grams.
struct Draft: Sendable, Equatable {
    /// Nil if no table has the food.
    var food: Food?
    /// The lemmas of the name that matched; for an unknown food the words as written.
    var words: [String]
    /// Words that say how it was made.
    var modifiers: [String] = []
    /// Words beside the name that are unknown or that are in no name together with it.
    var leftOver: [String] = []
    var isPlural = false
    var isMended = false
    /// The name has a word beside it that nobody knows.
    var isStrange = false
    /// The amount may be another food's, or the food may be one with its neighbour.
    var isGuess = false
    /// The similarity of the name if it was found by trigrams; otherwise nil.
    var similarity: Double?
    var amount: Amount?
    /// The type of the food that it was added to; nil if it was not added to any.
    var addedTo: FoodType?
    /// Ingredients that the sentence excludes.
    var without: [Draft] = []
    /// The part that was eaten, if the food was shared or not finished.
    var share: Share?
    /// The kilocalories that the sentence gives.
    var energy: Atom.Energy?
    /// The number of its sentence, from 0.
    var sentence = 0
    /// Bought or made. A later clause may still say that it was not eaten.
    var isAcquired = false
    /// The sentence names only the brand.
    var isImplied = false

    /// The part of a draft that was eaten.
    struct Share: Sendable, Equatable {
        /// From 0 to 1.
        var part: Double
        /// The sentence gives the part ("ate half of it"); otherwise it is estimated ("shared with
        /// Ann").
        var isSaid: Bool
    }
}
