extension NameFinder {
    func weighed(_ run: Run) -> Run {
        var run = run
        let first = run.range.lowerBound
        let last = run.range.upperBound - 1
        let next = after(last)
        guard !run.range.contains(where: { NameWords.institutions.contains(words[$0].key) }),
            !(next.map { NameWords.institutions.contains($0.key) && !words[last].isPossessive }
                ?? false)
        else { return run }
        // "the Museum of Modern Art", "University of …"
        if before(first)?.key == "of", first > 1,
            NameWords.institutions.contains(words[first - 2].key)
        {
            return run
        }
        if isGiven(first) || (run.range.count > 1 && isGiven(last)) {
            run.evidence += 2
        } else if isAmbiguous(first) {
            // A month, a season or a word at the start of a sentence needs a strong reason.
            let isWord = NotNames.things.contains(words[first].key) || words[first].startsSentence
            run.evidence += isWord ? 0 : 1
        }
        if run.range.count > 1, !isPlace(run.range) { run.evidence += 1 }
        weighBefore(&run)
        // "June looks better" is the month as well.
        if run.range.count > 1 || !NotNames.things.contains(words[first].key) {
            weighAfter(&run, next)
        }
        if isPlace(run.range) { run.evidence -= isAmbiguous(first) || isGiven(first) ? 1 : 4 }
        return run
    }

    private func weighBefore(_ run: inout Run) {
        let first = run.range.lowerBound
        guard let before = before(first) else { return }
        if let title = Kinship.titles[before.key], words[first].gap != .comma {
            run.evidence += before.isCapitalised || before.key.count < 4 ? 4 : 0
            run.prefix = before.isCapitalised || before.key.count < 4 ? title : nil
            run.relationship = relationship(endingAt: first - 2)
        }
        if let relation = Kinship.familyTitles[before.key] {
            run.evidence += 4
            run.relationship = relation
        }
        if let relation = relationship(endingAt: first - 1) {
            run.evidence += 4
            run.relationship = relation
        }
        guard words[first].gap == .space else { return }
        if NameWords.before.contains(before.key) {
            run.evidence += 2
        } else if before.key == "to" {
            let verb = self.before(first - 1)
            let isPerson = verb.map { NameWords.towards.contains($0.key) } ?? false
            run.evidence += isPerson ? 2 : words[run.range.upperBound - 1].isPossessive ? 0 : -1
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
        } else if next.gap == .space, NameWords.after.contains(next.key) {
            run.evidence += 2
        } else if ["and", "&"].contains(next.key), next.gap == .space,
            let third = after(last + 1), ["i", "me", "we"].contains(third.key)
        {
            run.evidence += 2
        }
    }

    private func isPlace(_ range: Range<Int>) -> Bool {
        NotNames.places.contains(words[range.upperBound - 1].key)
    }

    /// "my sister", "our new neighbour", "a friend named", and with a comma before the name.
    private func relationship(endingAt index: Int) -> String? {
        var index = index
        if index >= 0, ["named", "called"].contains(words[index].key) { index -= 1 }
        guard index >= 0, words[index].sentence == words[min(index + 1, words.count - 1)].sentence,
            !words[index].isPossessive, let relation = Kinship.relationship(words[index].key)
        else { return nil }
        var start = index - 1
        while start >= max(0, index - 3) {
            let key = words[start].key
            if ["my", "our", "a", "an", "old", "new"].contains(key) { return relation }
            // Somebody else's sister is a person, but not ours.
            if ["his", "her", "their", "your", "the"].contains(key) || words[start].isPossessive {
                return relation
            }
            start -= 1
        }
        return words[index].startsSentence || isUncased || start < 0 ? relation : nil
    }

    /// "Anna, my sister" · "Anna is my best friend" · "Tom, who is our neighbour"
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
                // "Anna, my sister Clara and …" names somebody else.
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
