public import TextTables

/// Meal logs: what was eaten, read from a sentence or entered item by item, stored, told, edited.
///
/// ```
///  body ─ NewMeal ─▶ unit of work ─▶ lanes ─▶ sluice.store_meal_logs ─ 201
///                                                 │ same commit
///                                             job meal.parse ─ MealParser ─▶ sluice.finish_meal_log
///                                                                                │ same commit
///                        sockets ◀─ news ◀─ notice board ◀─ notice, undelivered row
/// ```
///
/// **A log's id** is made before it is offered, so it is stored once however often its unit comes,
/// and what stands is never overwritten by a unit: an edit may have followed. What a user deleted
/// leaves its id behind for 30 days, so that a copy in a spool does not bring it back.
///
/// **A result** is written only to a log that is in `processing`: whatever happened to the log while
/// its job ran, nothing is overwritten and nobody is told. Log, items, the row for users who are away
/// and the notice are one commit with the end of the job.
///
/// **Texts** of answers and frames are all made here; whoever serves HTTP only passes them on.
///
/// ## The way of a sentence through `LocalMealParser`
/// 1. `Tokenizer`: Unicode folded to lower-cased ASCII words, numbers and separators; a word is
///    compared by its `Lemma` (singular).
/// 2. `Spelling`: a word that nobody knows is joined with its neighbour, split in two, or corrected
///    within one edit (two from eight letters on).
/// 3. `AtomReader`: the longest name of a food that begins at a token wins over everything else (so
///    that "mac and cheese" and "half and half" stay whole), then brands, amounts and calories, then
///    the small words of `words.tsv`.
/// 4. `ClauseCutter`: verbs and contrasts say for each clause whether its foods were eaten ("wanted",
///    "didn't have", "but", "just"); "no", "without" and "instead of" are about one food.
/// 5. `ClauseReader`: amounts find their food, words that belong together become one dish
///    ("turkey avocado wrap"), a clause may correct, divide or take back what came before, and a dish
///    whose parts are listed does not count beside them (`Recipe`).
/// 6. `Portion`: amount and food become grams, grams become energy and nutrients; calories that the
///    sentence gives win.
///
/// Deterministic: the same sentence and foods give the same items, whatever the machine.
///
/// ## Limits
/// 1000 scalars of text, the rest is not read; 40 items; 16 searches by trigram a sentence; 50 000
/// foods in an index, 1000 of one user; bodies of 256 KiB, frames of 16 KiB. Time grows linearly with
/// the text. A sentence that has nothing in it that can be eaten throws
/// `MealParsingFailure.nothingParsed`; a food that is in no table becomes an item with a low
/// confidence and no energy.
public enum Meals {
    /// Scalars of a meal's text.
    public static let textLengthMax = 1000
    /// Items of one meal, parsed or entered by hand.
    public static let itemsMax = 40
    /// Foods that one user may enter.
    public static let userFoodsMax = 1000
    /// Of a request; more is answered with 413.
    public static let bodyBytesMax = 256 * 1024
    /// Of a client's frame.
    public static let frameBytesMax = 16 * 1024

    /// Whether `text` may be a user's id: 1 to 128 characters without control characters.
    public static func isUserID(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}

extension Meals {
    /// What the parser knows of words and what an operator may extend or replace.
    public static var tables: [BuiltInTable] { MealWords.tables }

    /// Reads with these tables; before the first sentence of the process.
    public static func use(_ files: TableFiles) throws(TableFault) {
        MealWords.chosen.choose(try MealWords(files))
    }
}

/// The parser's words, read from tables once a process.
struct MealWords: Sendable {
    let words: WordRoles
    let amounts: AmountWords
    let units: HouseholdUnits
    let brands: BrandList
    let dishes: DishWords

    static let tables = [
        WordRoles.table, AmountWords.table, HouseholdUnits.table, BrandList.table, DishWords.table,
    ]

    static let chosen = ChosenOnce<MealWords> {
        do throws(TableFault) {
            return try MealWords(.builtIn)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    static let current = chosen.value()

    init(_ files: TableFiles) throws(TableFault) {
        words = try WordRoles(files.rows(of: WordRoles.table))
        amounts = try AmountWords(files.rows(of: AmountWords.table))
        units = try HouseholdUnits(files.rows(of: HouseholdUnits.table))
        brands = try BrandList(files.rows(of: BrandList.table))
        dishes = try DishWords(files.rows(of: DishWords.table))
    }
}
