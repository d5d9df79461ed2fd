/// Meal logs as values: what was eaten, and the parser that reads it from a sentence.
///
/// No database, no HTTP, no clock: foods come in as a `FoodIndex`, a sentence goes through a
/// `MealParser`, items and totals come out.
///
/// ## The way of a sentence through `LocalMealParser`
/// 1. `Tokenizer`: Unicode folded to lower-cased ASCII words, numbers and separators; a word is
///    compared by its `Lemma` (singular).
/// 2. `Spelling`: a word that nobody knows is joined with its neighbour, split in two, or corrected
///    within one edit (two from eight letters on).
/// 3. `AtomReader`: the longest name of a food that begins at a token wins over everything else (so
///    that "mac and cheese" and "half and half" stay whole), then amounts, then the small words.
/// 4. `ClauseReader`: amounts find their food, words that belong together become one dish
///    ("turkey avocado wrap"), what follows "no" or "without" goes.
/// 5. `Portion`: amount and food become grams, grams become energy and nutrients.
///
/// Deterministic: the same sentence and foods give the same items, whatever the machine.
///
/// ## Limits
/// 1000 scalars of text, the rest is not read; 40 items; 16 searches by trigram a sentence; 50 000
/// foods in an index. Time grows linearly with the text. A sentence that has nothing in it that can
/// be eaten throws `MealParsingFailure.nothingParsed`; a food that is in no table becomes an item
/// with a low confidence and no energy.
public enum Meals {
    /// Scalars of a meal's text.
    public static let textLengthMax = 1000
    /// Items of one meal, parsed or entered by hand.
    public static let itemsMax = 40
}
