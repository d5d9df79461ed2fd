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
    /// The part of it that was eaten, where others had the rest.
    var share: Share?
    /// Kilocalories of all of it, where the sentence gives them.
    var energy: Atom.Energy?
    /// Which sentence it is of.
    var sentence = 0
    /// It was bought or made; whether it was eaten may still be told.
    var isAcquired = false
    /// Only its brand was said.
    var isImplied = false

    /// A part of a draft.
    struct Share: Sendable, Equatable {
        /// 0–1
        var part: Double
        /// "ate half of it", not only "shared with Ann".
        var isSaid: Bool
    }
}
