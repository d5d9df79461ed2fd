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

    /// "my friends Sarah and Tom": the plural goes for both.
    private func shared(_ run: Run) -> String? {
        guard let word = before(run.range.lowerBound), run.relationship != nil else {
            // The second of three has it from the first.
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

    /// Mom, Dad and grandparents, who need no name.
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
