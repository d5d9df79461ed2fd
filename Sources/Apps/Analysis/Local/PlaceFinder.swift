/// Finds where something happened: "the coffee shop", "MIT campus", "Boston".
///
/// Looks at every phrase behind a preposition or a verb of going, weighs it by its last noun, its
/// capital letters and the preposition, and takes the heaviest, the first among equals.
struct PlaceFinder {
    private struct Candidate {
        var range: Range<Int>
        var weight: Int
        var text: String
    }

    private static let wordsMax = 7
    /// Between a place and the larger one that it is in.
    private static let joints: Set<String> = ["in", "on", "at", "near", "of"]

    private let words: [SpokenWord]
    private let people: Set<String>

    /// - Parameter people: who is no place.
    init(_ text: SpokenText, people: [NameFinder.Person]) {
        words = text.words
        self.people = Set(
            people.flatMap { $0.name.lowercased().split(separator: " ").map(String.init) })
    }

    /// Nil when nothing is a place.
    func place() -> String? {
        var candidates: [Candidate] = []
        for index in words.indices {
            if let weight = PlaceWords.leads[words[index].key],
                let candidate = phrase(after: index, weight)
            {
                candidates.append(candidate)
            } else if words[index].key == "home", index > 0, !words[index].startsSentence,
                PlaceWords.homeward.contains(words[index - 1].key)
            {
                candidates.append(Candidate(range: index..<index + 1, weight: 3, text: "home"))
            }
        }
        guard var best = candidates.first else { return nil }
        for candidate in candidates.dropFirst() where candidate.weight > best.weight {
            best = candidate
        }
        // "the coffee shop in Boston" is one place, whichever of the two is heavier.
        let lead = best.range.lowerBound - 1
        if Self.joints.contains(words[lead].key), words[lead].gap == .space,
            words[best.range.upperBound - 1].isCapitalised,
            let outer = candidates.first(where: { $0.range.upperBound == lead })
        {
            return outer.text + " " + words[lead].text + " " + best.text
        }
        let end = best.range.upperBound
        if end < words.count, Self.joints.contains(words[end].key),
            words[end].gap == .space,
            let inner = candidates.first(where: { $0.range.lowerBound == end + 1 }),
            words[end + 1].gap == .space, words[inner.range.upperBound - 1].isCapitalised
        {
            return best.text + " " + words[end].text + " " + inner.text
        }
        return best.text
    }

    private func phrase(after lead: Int, _ weight: Int) -> Candidate? {
        let start = lead + 1
        guard start < words.count, words[start].gap == .space,
            words[start].sentence == words[lead].sentence
        else { return nil }
        let isArticle = PlaceWords.articles.contains(words[start].key)
        let body = isArticle ? start + 1 : start
        let end = phraseEnd(body)
        guard body < end, let last = (body..<end).last(where: { isPlace($0, body: body) }) else {
            return nil
        }
        // "the kitchen table" is no kitchen.
        if last + 1 < end, !words[last].isCapitalised, isThing(words[last + 1]) { return nil }
        if words[lead].key == "from", ["his", "her", "their"].contains(words[start].key) {
            return nil
        }
        guard let kind = kind(last, lead: words[lead].key, isArticle: isArticle, body: body) else {
            return nil
        }
        let keepsArticle = isArticle && !["a", "an", "some"].contains(words[start].key)
        let text = words[(keepsArticle ? start : body)...last].map(\.spoken)
            .joined(separator: " ")
        return Candidate(range: start..<last + 1, weight: weight + kind, text: text)
    }

    private func phraseEnd(_ body: Int) -> Int {
        var end = body
        while end < words.count, end - body < Self.wordsMax,
            end == body || words[end].gap == .space,
            words[end].sentence == words[body].sentence
        {
            let key = words[end].key
            if key == "of", end > body, end + 1 < words.count,
                words[end + 1].isCapitalised || words[end + 1].key == "the"
            {
                end += words[end + 1].key == "the" ? 2 : 1
                continue
            }
            if PlaceWords.ends.contains(key), !words[end].isAcronym { break }
            end += 1
        }
        return min(end, words.count)
    }

    private func isPlace(_ index: Int, body: Int) -> Bool {
        let word = words[index]
        if PlaceWords.nouns.contains(word.key), !word.isPossessive { return true }
        if word.stems.contains(where: PlaceWords.nouns.contains), !word.isPossessive {
            return index > body || !word.isCapitalised
        }
        if index == body, PlaceWords.bare.contains(word.key) { return true }
        return isProper(index)
    }

    /// A plain noun, as far as its ending tells.
    private func isThing(_ word: SpokenWord) -> Bool {
        !word.isCapitalised && word.key != "of"
            && !["ing", "ed", "ly"].contains(where: word.key.hasSuffix)
    }

    /// A capitalised word that is neither a person nor a day, month or brand.
    private func isProper(_ index: Int) -> Bool {
        let word = words[index]
        guard word.isCapitalised, !people.contains(word.key), !word.isPossessive,
            Kinship.family[word.key] == nil, word.text != "I", !word.key.hasPrefix("i'")
        else { return false }
        if PlaceWords.branded.contains(word.key) { return true }
        return !NotNames.things.contains(word.key) && !NotNames.starters.contains(word.key)
    }

    /// What the last word of the phrase is worth; nil when the preposition does not go with it.
    private func kind(_ last: Int, lead: String, isArticle: Bool, body: Int) -> Int? {
        let word = words[last]
        let isNoun = word.stems.contains(where: PlaceWords.nouns.contains)
        let hasProper = (body...last).contains { isProper($0) }
        if isNoun && hasProper {
            return lead == "of" ? 2 : 4
        }
        if isNoun && (isArticle || last > body || PlaceWords.bare.contains(word.key)) {
            if lead == "of" || lead == "this" { return nil }
            let isWeak = PlaceWords.weak.contains(word.key) && last - body < 2
            return isWeak ? 0 : 3
        }
        if PlaceWords.bare.contains(word.key), last == body {
            return ["at", "to", "from", "in", "left", "leaving"].contains(lead) ? 1 : nil
        }
        guard hasProper, isProper(last) else { return nil }
        let isKnown = NotNames.places.contains(word.key) || PlaceWords.branded.contains(word.key)
        if ["from", "to", "by", "on", "of", "this", "behind", "past", "left", "over"].contains(lead)
        {
            return isKnown && lead != "by" && lead != "this" ? 2 : nil
        }
        return isKnown ? 3 : 2
    }
}

/// Words with which places are spoken of, lower case.
enum PlaceWords {
    /// What a preposition, or a verb of going, adds to the belief that a place follows.
    static let leads: [String: Int] = [
        "at": 3, "in": 2, "near": 2, "inside": 2, "outside": 2, "through": 2, "around": 2,
        "along": 2, "across": 2, "past": 1, "to": 1, "into": 1, "onto": 1, "on": 1, "by": 1,
        "from": 0, "visiting": 2, "visited": 2, "visit": 2, "exploring": 2, "explored": 2,
        "leaving": 1, "left": 1, "reached": 2, "overlooking": 1, "behind": 1, "beside": 1,
        "toward": 1, "towards": 1, "downtown": 1, "of": 0, "this": 0, "over": 1,
    ]

    /// Nouns that name a kind of place.
    static let nouns = GivenNames.words(
        """
        shop store cafe café restaurant bar pub diner bakery market supermarket mall shops house
        apartment flat condo home kitchen garden backyard yard porch balcony garage basement attic
        bedroom bathroom room office lab laboratory building lobby elevator campus school university
        college library classroom lecture auditorium hall dorm gym pool studio track court field
        stadium arena rink park playground zoo aquarium museum gallery theater theatre cinema movies
        hotel motel hostel resort cabin tent campsite airport station terminal platform gate harbor
        harbour port pier dock marina beach coast shore lake river pond ocean sea island bay waterfall
        waterfalls mountain mountains hill hills trail forest woods valley canyon desert farm ranch
        orchard vineyard winery brewery field fields meadow bridge street avenue road boulevard lane
        square plaza corner intersection neighborhood neighbourhood downtown city town village hospital
        clinic pharmacy church cathedral temple mosque synagogue cemetery court courthouse bank
        bookstore bookshop salon barbershop laundromat conference convention center centre booth venue
        club festival fair carnival train bus subway metro ferry boat plane taxi car deli pizzeria
        steakhouse cafeteria rooftop terrace patio deck lawn greenhouse nursery kindergarten daycare
        headquarters warehouse factory workshop makerspace garages hackathon summit castle palace
        monument tower fountain food-court lookout viewpoint peak ridge creek canal boardwalk promenade
        dentist vet doctor's spa sauna landing aisle parking lot tunnel place reunion
        """)

    /// Nouns of the above that say little about where: on the train, in the car.
    static let weak = GivenNames.words(
        """
        train bus subway metro ferry boat plane taxi car place room lecture lot center conference
        reunion dentist vet
        """)

    /// Places without an article: at home, after work.
    static let bare = GivenNames.words(
        """
        home work school church college campus downtown town kindergarten daycare practice class
        camp
        """)

    /// Shops and schools: capitalised words that are no people and are places.
    static let branded = GivenNames.words(
        """
        starbucks mcdonald's ikea walmart target costco mit nyu ucla harvard stanford princeton yale
        oxford cambridge disneyland google nasa ny nyc la sf dc usa uk
        """)

    /// Adverbial "home": got home, heading home.
    static let homeward = GivenNames.words(
        """
        go goes going went gone got get getting came come coming drove driving drive walked walking
        walk back heading headed head stay stayed staying return returned returning arrived ride flew
        rode made
        """)

    /// End a place's phrase.
    static let ends = GivenNames.words(
        """
        and or but with for to at in on near from by while when after before because is was were are
        had has have i we he she they it you who which that about today tonight yesterday tomorrow
        until during as so then again together alone where just right now this next last every all
        since if not really very too also our my his her their your its the a an some into through
        around along across behind beside outside inside towards toward feeling looking watching
        talking waiting working eating drinking having trying made went came got said saw met felt
        early late nearby there here
        """)

    static let articles: Set<String> = [
        "the", "a", "an", "my", "our", "his", "her", "their", "this", "that", "some", "your",
    ]
}
