extension NameFinder {
    func weighed(_ run: Run) -> Run {
        var run = run
        let first = run.range.lowerBound
        let last = run.range.upperBound - 1
        let next = after(last)
        guard !run.range.contains(where: { NameWords.institutions.contains(words[$0].key) }),
            !(next.map { NameWords.institutions.contains($0.key) && !words[last].isPossessive }
                ?? false),
            !isNobody(run.range, next)
        else {
            run.evidence = -4
            return run
        }
        // "the Museum of Modern Art", "University of …"
        if before(first)?.key == "of", first > 1,
            NameWords.institutions.contains(words[first - 2].key)
        {
            return run
        }
        if isGiven(first) || (run.range.count > 1 && isGiven(last)) {
            run.evidence += 2
        } else if isAmbiguous(first) {
            // A month, a season or a word at the start of a sentence needs strong evidence.
            run.evidence += isWord(first) ? 0 : 1
        }
        if run.range.count > 1, !isPlace(run.range) { run.evidence += 1 }
        weighBefore(&run)
        // "June looks better" may be the month: the words after such a name count only if they show
        // a person. "Austin drove us" is not about the city.
        let isPerson = isDoing(last, next) || relationship(behind: last) != nil
        if run.range.count > 1 || isPerson || !isAmbiguous(first) || !isWord(first) {
            weighAfter(&run, next)
        }
        if isPlace(run.range), !isPerson {
            run.evidence -= isAmbiguous(first) || isGiven(first) ? 1 : 4
        }
        return run
    }

    /// Whether it is a month or another thing, or has its capital letter from the start of the
    /// sentence.
    private func isWord(_ index: Int) -> Bool {
        NotNames.things.contains(words[index].key) || words[index].startsSentence
    }

    /// Whether a name does what only a person does: "May came", "Summer and her sister", "Drew
    /// drew".
    private func isDoing(_ last: Int, _ next: SpokenWord?) -> Bool {
        guard let next, next.gap == .space, !words[last].isPossessive else { return false }
        if GivenNames.deeds.contains(next.key) { return true }
        guard next.key == "and", last + 2 < words.count else { return false }
        return ["i", "me", "we", "his", "her"].contains(words[last + 2].key)
    }

    /// Whether a run is not a contact: the speaker, an animal, a saint's day, a famous person, a
    /// shop, a work.
    private func isNobody(_ range: Range<Int>, _ next: SpokenWord?) -> Bool {
        let first = range.lowerBound
        if ["st", "saint", "san", "santa"].contains(words[first].key) { return true }
        let before = (max(0, first - 4)..<first).filter {
            words[$0].sentence == words[first].sentence
        }.map { words[$0].key }
        if before.suffix(3) == ["my", "name", "is"] || ["st", "saint"].contains(before.last) {
            return true
        }
        // "a book by"
        if before.last == "by", before.contains(where: GivenNames.works.contains) { return true }
        // "reading Murakami", "the new Stephen King", "some Chopin"
        if let last = before.last, words[first].gap == .space,
            NameWords.enjoyed.contains(last)
                || before.count > 1
                    && NameWords.enjoyed.contains(before.suffix(2).joined(separator: " "))
        {
            return true
        }
        let links: Set = ["is", "was", "called", "named", "the", "s"]
        let animal = before.last { !links.contains($0) }
        if let animal, GivenNames.pets.contains(animal), words[first].gap != .other { return true }
        if let next, next.gap == .space, !words[range.upperBound - 1].isPossessive,
            GivenNames.works.contains(next.key)
        {
            return true
        }
        if range.count > 1, before.contains(where: ["listening", "listened", "reading"].contains),
            before.last != "with", before.last != "and"
        {
            return true
        }
        return isNamed(range, GivenNames.famous) { _ in true }
            || isNamed(range, GivenNames.shops) { last in
                guard words[last].isPossessive else { return false }
                guard let behind = after(last), behind.gap == .space else { return true }
                return NotNames.starters.contains(behind.key) || behind.key == "on"
            }
    }

    /// Whether a run overlaps a phrase of a list that `isMeant` accepts.
    private func isNamed(
        _ range: Range<Int>, _ list: [String: [[String]]], _ isMeant: (Int) -> Bool
    ) -> Bool {
        for start in max(0, range.lowerBound - 2)..<range.upperBound {
            for phrase in list[words[start].name] ?? [] {
                let end = start + phrase.count
                guard end <= words.count, end > range.lowerBound,
                    zip(start..<end, phrase).allSatisfy({ words[$0].name == $1 }),
                    words[start].sentence == words[end - 1].sentence
                else { continue }
                if isMeant(end - 1) { return true }
            }
        }
        return false
    }

    private func weighBefore(_ run: inout Run) {
        let first = run.range.lowerBound
        guard let before = before(first) else { return }
        if let title = Kinship.titles[before.key], words[first].gap != .comma {
            run.evidence += before.isCapitalised || before.key.count < 4 ? 4 : 0
            run.prefix = before.isCapitalised || before.key.count < 4 ? title : nil
            run.relationship = isOthers(first - 2) ? nil : relationship(endingAt: first - 2)
        }
        // Somebody else's sister is a person too, but not the speaker's sister.
        if let relation = Kinship.familyTitles[before.key] {
            run.evidence += 4
            run.relationship = isOthers(first - 1) ? nil : relation
        }
        if let relation = relationship(endingAt: first - 1) {
            run.evidence += 4
            run.relationship = isOthers(first - 1) ? nil : relation
        }
        guard words[first].gap == .space else { return }
        let isMet =
            before.key == "into"
            && self.before(first - 1).map { ["bumped", "ran", "run", "bumping"].contains($0.key) }
                == true
        if NameWords.before.contains(before.key) || isMet {
            run.evidence += 2
        } else if before.key == "to" {
            let verb = self.before(first - 1)
            let isPerson = verb.map { NameWords.towards.contains($0.key) } ?? false
            // "introduced Philippa to Ravi", but not "drove to Charlotte"
            let isKnown =
                isGiven(first) && !isPlace(run.range)
                && (max(0, first - 5)..<first).contains {
                    NameWords.towards.contains(words[$0].key)
                }
            run.evidence +=
                isPerson ? 2 : isKnown || words[run.range.upperBound - 1].isPossessive ? 0 : -1
        } else if ["at", "on", "over"].contains(before.key), isGiven(first), !isPlace(run.range) {
            // No evidence either way: "yelled at Tom" is a person; shops have an 's.
        } else if NameWords.local.contains(before.key) {
            run.evidence -= words[run.range.upperBound - 1].isPossessive ? 0 : 3
        } else if ["from", "for", "by", "of", "about", "because"].contains(before.key) {
            run.evidence += 1
        }
    }

    private func weighAfter(_ run: inout Run, _ next: SpokenWord?) {
        let last = run.range.upperBound - 1
        if let relation = relationship(behind: last) {
            run.evidence += 4
            run.relationship = run.relationship ?? relation
        }
        guard let next else { return }
        if words[last].isPossessive {
            run.evidence += NameWords.owned.contains(next.key) ? 2 : 1
        } else if next.gap == .space,
            GivenNames.deeds.contains(next.key)
                || NameWords.after.contains(next.key) && !isAmbiguous(last)
        {
            run.evidence += 2
        } else if ["and", "&"].contains(next.key), next.gap == .space,
            let third = after(last + 1),
            ["i", "me", "we"].contains(third.key)
                || ["his", "her"].contains(third.key) && !isPlace(run.range)
                || ["his", "her"].contains(third.key) && words[last].startsSentence
        {
            run.evidence += 2
        }
    }

    private func isPlace(_ range: Range<Int>) -> Bool {
        NotNames.places.contains(words[range.upperBound - 1].key)
    }

    /// The relationship in the words up to `index`: "my sister", "our new neighbour", "a friend
    /// named".
    private func relationship(endingAt index: Int) -> String? {
        var index = index
        if index >= 0, ["named", "called"].contains(words[index].key) { index -= 1 }
        guard index >= 0, words[index].sentence == words[min(index + 1, words.count - 1)].sentence,
            !words[index].isPossessive, let relation = Kinship.relationship(words[index].key)
        else { return nil }
        var start = index - 1
        while start >= max(0, index - 3) {
            let key = words[start].key
            if ["my", "our", "a", "an", "old", "new", "the"].contains(key) { return relation }
            if NameWords.others.contains(key) || words[start].isPossessive { return relation }
            start -= 1
        }
        return words[index].startsSentence || isUncased || start < 0 ? relation : nil
    }

    /// Whether the word for a relative up to `index` belongs to another person: "his daughter",
    /// "Tom's new boss".
    private func isOthers(_ index: Int) -> Bool {
        var place = index - 1
        while place >= max(0, index - 3), words[place].sentence == words[index].sentence {
            if ["my", "our"].contains(words[place].key) { return words[place + 1].isPossessive }
            if NameWords.others.contains(words[place].key) || words[place].isPossessive {
                return true
            }
            place -= 1
        }
        return false
    }

    /// The relationship in the words after `index`: "Anna, my sister" · "Anna is my best friend" ·
    /// "Tom, who is our neighbour"
    private func relationship(behind index: Int) -> String? {
        var next = index + 1
        var isLinked = next < words.count && words[next].gap == .comma
        while next < words.count, ["who", "is", "was", "who's"].contains(words[next].key) {
            next += 1
            isLinked = true
        }
        guard isLinked, next + 1 < words.count, ["my", "our"].contains(words[next].key),
            words[next].sentence == words[index].sentence
        else { return nil }
        for place in next + 1..<min(next + 4, words.count) {
            guard words[place].gap == .space else { return nil }
            if let relation = Kinship.relationship(words[place].key) {
                // "Anna, my sister Clara and …": the relationship belongs to another person.
                let isAnother =
                    place + 1 < words.count && words[place + 1].isCapitalised
                    && words[place + 1].gap == .space
                    && words[place + 1].sentence == words[place].sentence
                return isAnother || words[place].isPossessive ? nil : relation
            }
        }
        return nil
    }

    func before(_ index: Int) -> SpokenWord? {
        guard index > 0, words[index - 1].sentence == words[index].sentence else { return nil }
        return words[index - 1]
    }

    private func after(_ index: Int) -> SpokenWord? {
        guard index + 1 < words.count, words[index + 1].sentence == words[index].sentence else {
            return nil
        }
        return words[index + 1]
    }
}
