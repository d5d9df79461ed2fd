/// Words used to speak of places, in lower case.
enum PlaceWords {
    private static let lists = AnalysisWords.current.places

    /// Prepositions and verbs of motion, with the weight that each adds to a place after it.
    static let leads = lists.leads
    /// Nouns for kinds of places.
    static let nouns = lists[.noun]
    /// Those of ``nouns`` that say little about where: on the train, in the car.
    static let weak = lists[.weak]
    /// Places without an article: at home, after work.
    static let bare = lists[.bare]
    /// Shops and schools: capitalised words that are places, not people.
    static let branded = lists[.branded]
    /// Words before an adverbial "home": got home, heading home.
    static let homeward = lists[.homeward]
    /// Words that end a place's phrase.
    static let ends = lists[.end]
    static let articles = lists[.article]
    /// Words after which a place is only planned, wished for or missed.
    static let plans = lists[.plan]
    /// Words for a time to come.
    static let futures = lists[.future]
    /// Those of ``leads`` that lead to a place.
    static let toward = lists[.toward]
    /// Verbs that tell what happened, after a plan.
    static let facts = lists[.fact]
}
