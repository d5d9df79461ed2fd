/// Finds the people that a text speaks of.
///
/// Capitalised words are gathered into runs; each run collects evidence from the words around it
/// and from the lists of names, and a run with ``evidenceMin`` is a person. People named in one
/// breath ("Sarah, Tom and Priya") vouch for each other.
struct NameFinder {
    /// A person and, where the text says so, what that person is to the speaker.
    struct Person: Equatable {
        var name: String
        var relationship: String?
        /// Index of the first word, for whoever looks at what is around.
        var place: Int
    }

    static let evidenceMin = 2

    struct Run {
        var range: Range<Int>
        var evidence = 0
        var relationship: String?
        var prefix: String?
    }

    let words: [SpokenWord]
    let isUncased: Bool

    init(_ text: SpokenText) {
        words = text.words
        isUncased = text.isUncased
    }

    /// In the order of appearance, each once; a first name that is also part of a full name is
    /// only that.
    func people() -> [Person] {
        var runs = runs().map { weighed($0) }
        vouch(&runs)
        var people = runs.filter { $0.evidence >= Self.evidenceMin }.map(person) + relatives()
        people.sort { $0.place < $1.place }
        var found: [Person] = []
        for person in people {
            let key = person.name.lowercased()
            if let known = found.firstIndex(where: { Self.isPart(key, of: $0.name) }) {
                found[known].relationship = found[known].relationship ?? person.relationship
            } else if let known = found.firstIndex(where: { Self.isPart($0.name, of: key) }) {
                found[known].name = person.name
                found[known].relationship = found[known].relationship ?? person.relationship
            } else {
                found.append(person)
            }
        }
        return found
    }

    /// Equal but for case, or the first name of.
    private static func isPart(_ name: String, of whole: String) -> Bool {
        let (name, whole) = (name.lowercased(), whole.lowercased())
        return name == whole || whole.hasPrefix(name + " ")
    }

    private func person(_ run: Run) -> Person {
        let name = words[run.range].map { word in
            // "JOHN" is John.
            word.isAcronym ? String(word.text.prefix(1)) + word.key.dropFirst() : word.text
        }.joined(separator: " ")
        let prefix = run.range.count == 1 ? run.prefix.map { $0 + " " } ?? "" : ""
        return Person(
            name: prefix + name, relationship: run.relationship, place: run.range.lowerBound)
    }

    // MARK: Runs

    private func runs() -> [Run] {
        var runs: [Run] = []
        var index = 0
        while index < words.count {
            guard canBeName(index) else {
                index += 1
                continue
            }
            var end = index + 1
            while end < words.count, end - index < 4, !words[end - 1].isPossessive,
                words[end].gap == .space, words[end].sentence == words[index].sentence
            {
                if canBeName(end) {
                    end += 1
                } else if let name = nameBehindParticles(end) {
                    end = name + 1
                } else {
                    break
                }
            }
            runs.append(Run(range: trimmed(index..<end)))
            index = end
        }
        return runs
    }

    /// "de la Cruz": where the name goes on.
    private func nameBehindParticles(_ start: Int) -> Int? {
        var index = start
        while index < words.count, index - start < 3, words[index].gap == .space,
            NameWords.particles.contains(words[index].key)
        {
            index += 1
        }
        guard index > start, index < words.count, words[index].gap == .space, canBeName(index),
            words[index].sentence == words[start].sentence
        else { return nil }
        return index
    }

    /// "Hugged Anna": a first word that is no name in front of one is a verb.
    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        let first = range.lowerBound
        guard range.count > 1, words[first].startsSentence, !isGiven(first), !isAmbiguous(first),
            isGiven(first + 1) || words[first].key.hasSuffix("ed")
                || NameWords.before.contains(words[first].key)
        else { return range }
        return range.lowerBound + 1..<range.upperBound
    }

    func isGiven(_ index: Int) -> Bool {
        let name = words[index].name
        let first = name.split(separator: "-").first.map(String.init) ?? ""
        return GivenNames.plain.contains(name) || GivenNames.plain.contains(first)
    }

    func isAmbiguous(_ index: Int) -> Bool {
        GivenNames.ambiguous.contains(words[index].name)
    }

    private func canBeName(_ index: Int) -> Bool {
        let word = words[index]
        // "al-Rashid"
        let isCapitalised =
            word.isCapitalised
            || ["al-", "el-"].contains(where: word.text.hasPrefix)
                && word.text.dropFirst(3).first?.isUppercase == true
        guard isCapitalised, !word.text.contains(where: \.isNumber),
            !word.isAcronym || isGiven(index) || isAmbiguous(index)
        else { return false }
        guard word.text.count > 1 || isInitial(index) else { return false }
        if isTitle(index) { return false }
        if isAmbiguous(index) { return true }
        if NotNames.things.contains(word.key) || Kinship.family[word.key] != nil { return false }
        if isGiven(index) { return true }
        // Contractions ("They're") and other words with which sentences start.
        let isPlainWord =
            NotNames.starters.contains(word.key) || word.key.contains("'re")
            || word.key.contains("n't") || word.key.contains("'ve") || word.key.contains("'ll")
        return !(isPlainWord && (word.startsSentence || index == 0 || word.gap == .other))
            && !NotNames.starters.contains(word.key)
    }

    /// "Maria J. Lopez"
    private func isInitial(_ index: Int) -> Bool {
        index > 0 && words[index].text != "I" && words[index].text != "A"
            && words[index - 1].isCapitalised && words[index].gap == .space
    }

    func isTitle(_ index: Int) -> Bool {
        let key = words[index].key
        return (Kinship.titles[key] != nil || Kinship.familyTitles[key] != nil)
            && index + 1 < words.count && words[index + 1].isCapitalised
            && words[index + 1].sentence == words[index].sentence
    }
}
