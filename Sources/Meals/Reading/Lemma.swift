/// Makes two forms of a word equal: the singular, more or less.
///
/// Names in the table and words of a sentence go through the same rules, so that what comes out need
/// not be English (`cookies`, `cookie` → `cooky`), only the same.
enum Lemma {
    private static let irregular: [String: String] = [
        "leaves": "leaf", "loaves": "loaf", "halves": "half", "quiches": "quiche",
        "quiche": "quiche", "knives": "knife", "geese": "goose", "gas": "gas", "yes": "yes",
        "oz": "oz", "lbs": "lb", "his": "his", "was": "was", "has": "has", "does": "does",
        "brioches": "brioche", "brioche": "brioche", "pies": "pie", "ties": "tie",
        "avocadoes": "avocado", "avocados": "avocado", "veg": "veg",
    ]

    /// - Input: lower-cased ASCII. Linear in the word.
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

    /// Whether a word looks like more than one.
    static func isPlural(_ word: String) -> Bool {
        word.utf8.last == UInt8(ascii: "s") && of(word) != word
    }
}
