public import TextTables

/// Meal logs: parsed from a sentence or entered item by item, then stored, served and edited.
///
/// ```
///  body ─ NewMeal ─▶ unit of work ─▶ lanes ─▶ sluice.store_meal_logs ─ 201
///                                                 │ same commit
///                                             job meal.parse ─ MealParser ─▶ sluice.finish_meal_log
///                                                                                │ same commit
///                        sockets ◀─ news ◀─ notice board ◀─ notice, undelivered row
/// ```
///
/// **A log's id** is made before the log is offered to a lane. So a log is stored once, however
/// often its unit is written. A unit never overwrites a stored log, because the log may have been
/// edited since. The id of a deleted log is kept for 30 days, so that a copy in a spool does not
/// restore the log.
///
/// **A result** is written only to a log that is still in `processing`. If the log was edited or
/// deleted while its job ran, nothing is written and nobody is notified. The log, its items, the
/// undelivered row for users who are not connected, the notice and the end of the job are one
/// commit. If a consultation's message can't be parsed, its log is deleted instead, and the error
/// goes to the consultation's open sockets only.
///
/// **Texts** of responses and frames are all written in this module; the HTTP server passes them on
/// unchanged.
///
/// ## How `LocalMealParser` reads a sentence
/// 1. `Tokenizer` folds Unicode to lower-cased ASCII and cuts it into words, numbers and
///    separators. Words are compared by their `Lemma` (singular).
/// 2. `Spelling` joins two words that a food's name writes as one, and splits or corrects unknown
///    words. A correction is one edit, or two from eight letters on.
/// 3. `AtomReader` finds the longest food name that begins at a token, so that "mac and cheese" and
///    "half and half" stay whole. Phrases of `words.tsv`, brands with more words than the name, and
///    times of day go before it; amounts, calories and single words of `words.tsv` come after it.
/// 4. `ClauseCutter` decides for each clause whether its foods were eaten, from verbs and contrasts
///    ("wanted", "didn't have", "but", "just"). "No", "without" and "instead of" apply to one food
///    only.
/// 5. `ClauseReader` assigns amounts to foods and joins words that form one dish ("turkey avocado
///    wrap"). A clause may correct, divide or cancel what came before. A dish whose parts are
///    listed does not count in addition to them, nor a part that the dish has anyway (`Recipe`).
/// 6. `Portion` converts amount and food to grams, and `ItemWriter` converts grams to energy and
///    nutrients, without what words such as "diet" and "without cheese" take away (`LeanWords`).
///    Calories that the sentence gives win.
///
/// A client shows doubt below a confidence of 0.5. Items are below it if the food is unknown, if
/// the amount is only a usual one, not a piece, or more than one person eats. An unknown food, an
/// implausible amount and a container of unknown size also make the meal doubtful.
///
/// The parser is deterministic: the same sentence and foods give the same items on every machine.
///
/// ## Limits
/// The parser reads 1000 scalars of text and ignores the rest; 40 items; 16 trigram searches a
/// sentence; 50 000 foods in an index, 1000 foods of one user; bodies of 256 KiB, frames of 16 KiB.
/// Time grows linearly with the text. A sentence without any food throws
/// `MealParsingFailure.nothingParsed`. A food that no table knows becomes an item with a low
/// confidence and no energy.
public enum Meals {
    /// Unicode scalars in a meal's text.
    public static let textLengthMax = 1000
    /// Items in one meal, parsed or entered by hand.
    public static let itemsMax = 40
    /// Foods that one user may enter.
    public static let userFoodsMax = 1000
    /// Bytes in a request's body; a larger body is answered with 413.
    public static let bodyBytesMax = 256 * 1024

    /// Whether `text` is a valid user id: 1 to 128 Unicode scalars without control characters.
    public static func isUserID(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}

extension Meals {
    /// The parser's word tables, which an operator may extend or replace.
    public static var tables: [BuiltInTable] { MealWords.tables }

    /// Makes the parser use these tables. Must be called before the process parses its first
    /// sentence.
    public static func use(_ files: TableFiles) throws(TableFault) {
        MealWords.chosen.choose(try MealWords(files))
    }
}
