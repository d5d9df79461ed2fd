/// Finds the people that a text mentions.
///
/// Consecutive capitalised words form a run. Each run collects evidence from the words around it
/// and from the lists of names. A run with at least ``evidenceMin`` is a person. People in one
/// enumeration ("Sarah, Tom and Priya") support each other.
struct NameFinder {
    /// A person and, if the text says so, the person's relationship to the speaker.
    struct Person: Equatable {
        var name: String
        var relationship: String?
        /// The index of the name's first word.
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

    /// The people in order of appearance, each once. A first name that is also part of a full name
    /// counts as the same person.
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

    /// Whether a name equals another one but for case, or is its beginning.
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

    /// The index where a name continues after particles: "de la Cruz".
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

    /// Drops a first word that is not a name in front of one: in "Hugged Anna" it is a verb.
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
        // Contractions ("They're") and other words that begin sentences.
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

extension NameFinder {
    /// Spreads certainty along enumerations, in both directions.
    func vouch(_ runs: inout [Run]) {
        guard runs.count > 1 else { return }
        for index in Array(runs.indices.dropFirst()) + runs.indices.dropFirst().reversed() {
            let (left, right) = (index - 1, index)
            guard areListed(runs[left].range, runs[right].range) else { continue }
            let isLeftSure = runs[left].evidence >= Self.evidenceMin
            let isRightSure = runs[right].evidence >= Self.evidenceMin
            if isLeftSure, !isRightSure, runs[right].evidence >= 0 {
                runs[right].evidence = Self.evidenceMin
                runs[right].relationship = runs[right].relationship ?? shared(runs[left])
            } else if isRightSure, !isLeftSure, runs[left].evidence >= 0 {
                runs[left].evidence = Self.evidenceMin
            } else if isLeftSure, isRightSure {
                runs[right].relationship = runs[right].relationship ?? shared(runs[left])
            }
        }
    }

    /// The relationship for the next name of an enumeration: in "my friends Sarah and Tom" the
    /// plural applies to both.
    private func shared(_ run: Run) -> String? {
        guard let word = before(run.range.lowerBound), run.relationship != nil else {
            // The second of three names has it from the first.
            return run.prefix == nil && isListedBefore(run) ? run.relationship : nil
        }
        let isPlural =
            word.key.hasSuffix("s") && !word.key.hasSuffix("ss") || word.key == "children"
        return isPlural || isListedBefore(run) ? run.relationship : nil
    }

    private func isListedBefore(_ run: Run) -> Bool {
        guard let word = before(run.range.lowerBound) else { return false }
        return ["and", "&"].contains(word.key) || words[run.range.lowerBound].gap == .comma
    }

    private func areListed(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard words[left.lowerBound].sentence == words[right.lowerBound].sentence,
            !words[left.upperBound - 1].isPossessive
        else { return false }
        if left.upperBound == right.lowerBound { return words[right.lowerBound].gap == .comma }
        return left.upperBound + 1 == right.lowerBound
            && ["and", "&", "or"].contains(words[left.upperBound].key)
    }

    /// Relatives who need no name: Mom, Dad, grandparents.
    func relatives() -> [Person] {
        words.indices.compactMap { index in
            let word = words[index]
            guard let relation = Kinship.family[word.key], word.isCapitalised || isUncased,
                !isTitle(index)
            else { return nil }
            let before = before(index)?.key
            let isOwned =
                before.map {
                    ["my", "your", "his", "her", "our", "their", "the", "a", "and"].contains($0)
                } ?? false
            if isOwned, before != "and" || isUncased { return nil }
            let name = word.key.prefix(1).uppercased() + word.key.dropFirst()
            return Person(name: name, relationship: relation, place: index)
        }
    }
}
