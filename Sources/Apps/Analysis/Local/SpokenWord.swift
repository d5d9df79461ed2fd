/// One word of a transcription, with its surroundings.
struct SpokenWord: Sendable, Equatable {
    /// The word as said, without the possessive `'s`.
    let text: String
    /// The word in lower case.
    let key: String
    /// The number of its sentence, from zero.
    let sentence: Int
    /// Whether `'s`, or `'` after an s, was removed.
    let isPossessive: Bool
    /// Whether it is the first word of its sentence. Then its capital letter says little.
    let startsSentence: Bool
    /// The text between the previous word and this one.
    let gap: Gap

    enum Gap: Sendable { case space, comma, other }

    /// Whether the first letter is a capital letter.
    var isCapitalised: Bool { text.first?.isUppercase == true }

    /// Whether it has only capital letters and digits, and more than one: `MIT`, `TV`.
    var isAcronym: Bool {
        text.count > 1 && text.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// The word in the form of the lists of names.
    var name: String { GivenNames.folded(key) }

    /// The word with its possessive; initials with their last full stop, `U.S.`
    var spoken: String { text + (isInitials ? "." : "") + (isPossessive ? "'s" : "") }

    private var isInitials: Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.count == 1 && $0.first?.isLetter == true }
    }

    /// The word and those that it may be a form of: `meetings` → `meeting`, `meet`; `baked` →
    /// `bake`.
    var stems: [String] {
        var found = [key]
        func add(_ stem: Substring) {
            guard stem.count > 2 else { return }
            found.append(String(stem))
            found.append(stem + "e")
            if stem.last == stem.dropLast().last { found.append(String(stem.dropLast())) }
        }
        var singular = Substring(key)
        if key.hasSuffix("ies"), key.count > 4 {
            found.append(key.dropLast(3) + "y")
        } else if key.hasSuffix("s"), !key.hasSuffix("ss"), key.count > 3 {
            singular = key.dropLast()
            found.append(String(singular))
            if key.hasSuffix("es") { found.append(String(key.dropLast(2))) }
        }
        if singular.hasSuffix("ing") {
            add(singular.dropLast(3))
        } else if key.hasSuffix("ied") {
            found.append(key.dropLast(3) + "y")
        } else if key.hasSuffix("ed") {
            add(key.dropLast(2))
        }
        return found
    }
}
