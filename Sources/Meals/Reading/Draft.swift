/// An item before its amount has become grams.
struct Draft: Sendable, Equatable {
    /// Nil: no table knows it.
    var food: Food?
    /// Lemmas of the name that matched; of an unknown food the words as written.
    var words: [String]
    /// Words on how it was made.
    var modifiers: [String] = []
    /// Words beside the name that nobody knows, or that no name has.
    var leftOver: [String] = []
    var isPlural = false
    var isMended = false
    /// How like the name is, where it was found by trigrams only.
    var similarity: Double?
    var amount: Amount?
    /// It was added to this.
    var addedTo: FoodType?
    /// What was said not to be in it.
    var without: [String] = []
}
