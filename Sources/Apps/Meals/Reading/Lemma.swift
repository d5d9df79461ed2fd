/// Maps the forms of a word to one form, roughly the singular.
///
/// Food names and sentences go through the same rules. So a lemma need not be English (`cookies`,
/// `cookie` → `cooky`), only the same for all forms.
enum Lemma {
    private static let irregular: [String: String] = [
        "leaves": "leaf", "loaves": "loaf", "halves": "half", "quiches": "quiche",
        "quiche": "quiche", "knives": "knife", "geese": "goose", "gas": "gas", "yes": "yes",
        "oz": "oz", "lbs": "lb", "his": "his", "was": "was", "has": "has", "does": "does",
        "brioches": "brioche", "brioche": "brioche", "pies": "pie", "ties": "tie",
        "avocadoes": "avocado", "avocados": "avocado", "veg": "veg",
    ]

    /// The lemma of a word in lower-cased ASCII. Linear in the word.
    static func of(_ word: String) -> String {
        if let lemma = irregular[word] { return lemma }
        let count = word.utf8.count
        guard count >= 4 else { return word }
        if count >= 5 {
            if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
            if word.hasSuffix("ie") { return word.dropLast(2) + "y" }
        }
        guard word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us"),
            !word.hasSuffix("is")
        else { return word }
        for ending in ["ches", "shes", "sses", "xes", "zes", "oes"] where word.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        return String(word.dropLast())
    }

    /// Whether a word looks like a plural.
    static func isPlural(_ word: String) -> Bool {
        word.utf8.last == UInt8(ascii: "s") && of(word) != word
    }
}
