/// One word of a transcription and what stands around it.
struct SpokenWord: Sendable, Equatable {
    /// As said, without the possessive `'s`.
    let text: String
    /// Lower case.
    let key: String
    /// Its sentence, from zero.
    let sentence: Int
    /// `'s`, or `'` behind an s, was taken off.
    let isPossessive: Bool
    /// The first of its sentence, so that its capital letter says little.
    let startsSentence: Bool
    /// What is between this word and the one before.
    let gap: Gap

    enum Gap: Sendable { case space, comma, other }

    /// The first letter is a capital one.
    var isCapitalised: Bool { text.first?.isUppercase == true }

    /// `MIT`, `TV`: capital letters only, more than one.
    var isAcronym: Bool {
        text.count > 1 && text.allSatisfy { $0.isUppercase || $0.isNumber }
    }

    /// As the lists of names have it.
    var name: String { GivenNames.folded(key) }

    /// With its possessive.
    var spoken: String { isPossessive ? text + "'s" : text }

    /// The word and what it may be a form of: `meetings` → `meeting`, `meet`; `baked` → `bake`.
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
