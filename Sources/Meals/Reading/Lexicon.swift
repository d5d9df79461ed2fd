/// The small words of sentences about meals, by lemma.
enum Lexicon {
    /// What a word does in a sentence, where it isn't part of a food's name.
    enum Role: Sendable, Equatable {
        /// Parts two foods.
        case and
        /// What follows is added to what came before.
        case with
        case or
        /// What follows wasn't eaten.
        case without
        /// What follows says when or where, unless it is a food.
        case aside
        /// How it was made, or what kind.
        case modifier
        /// Nothing.
        case filler
    }

    /// The words' roles; later lists win.
    static let roles: [String: Role] = {
        var roles: [String: Role] = [:]
        for (words, role) in [
            (fillers, Role.filler), (brands, .filler), (modifiers, .modifier),
            (preparations, .modifier), (asides, .aside),
        ] {
            for word in words.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
                roles[Lemma.of(String(word))] = role
            }
        }
        for word in [
            "and", "plus", "n", "then", "also", "followed", "alongside", "on", "over", "in",
        ] {
            roles[word] = .and
        }
        for word in ["with", "w", "topped", "wth", "including"] { roles[word] = .with }
        for word in ["or", "nor"] { roles[word] = .or }
        for word in ["no", "without", "minus", "hold", "skip", "skipped", "sans", "except", "not"] {
            roles[word] = .without
        }
        return roles
    }()

    /// Numbers in words, by lemma.
    static let numbers: [String: Double] = [
        "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
        "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
        "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
        "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
        "seventy": 70, "eighty": 80, "ninety": 90, "single": 1, "both": 2, "pair": 2,
        "twice": 2, "another": 1,
    ]

    /// Amounts that are about so many.
    static let about: [String: Double] = [
        "couple": 2, "few": 3, "several": 4, "lot": 1.5, "plenty": 1.5, "tons": 2, "load": 1.5,
    ]

    /// Parts of one.
    static let parts: [String: Double] = [
        "half": 0.5, "quarter": 0.25, "third": 1.0 / 3, "fourth": 0.25, "eighth": 0.125,
    ]

    /// Sizes, and what they make of a usual portion.
    static let sizes: [String: Double] = [
        "small": 0.75, "little": 0.75, "mini": 0.5, "tiny": 0.5, "medium": 1, "regular": 1,
        "large": 1.35, "big": 1.35, "huge": 1.6, "giant": 1.6, "jumbo": 1.6, "xl": 1.5,
        "tall": 1.2, "grande": 1.6, "venti": 2, "double": 2, "triple": 3, "whole": 1,
        "personal": 1, "generous": 1.3, "heaping": 1.3, "heaped": 1.3, "baby": 0.5, "kid": 0.7,
        "level": 1, "footlong": 2, "individual": 1,
    ]

    /// Sizes that a food's table may have under another word.
    static let sizesAlike: [String: String] = [
        "big": "large", "huge": "large", "giant": "large", "jumbo": "large", "xl": "large",
        "little": "small", "tiny": "small", "mini": "small", "regular": "medium", "kid": "small",
        "grande": "large", "venti": "large", "tall": "medium",
    ]

    private static let fillers = """
        a i me my we our us you your he she his her it its they them the this that these those
        there of by is was were am are be been being had have has having ate eat eaten eating
        drank drink drinking drunk got get getting grab grabbed took take made make making
        cooked order ordered went going go came just some any more most much very too really
        quite so but as well about approx approximately roughly around maybe probably like kind
        sort type style breakfast lunch dinner supper brunch snack dessert meal starter main
        course appetizer food item bite today yesterday tonight morning afternoon evening noon
        midnight night day week usual usually always again later early late earlier before after
        nice good great best delicious tasty yummy favorite favourite amazing homemade home
        house leftover fresh freshly frozen organic natural real pure healthy light lite extra
        added total each per piping out up off down him who what which when where how all only
        own other same different lol ok okay yes please thanks think thought guess know will
        would could should can did do does done didnt dont wasnt couldnt while still even ever
        never time finished bit touch dollop pan pack sized size kcal cal calory protein carb
        fat sodium gluten dairy free fed range quick simple typical standard to into onto from
        at for because until till since near via during come want wanted felt feel feeling
        hungry starving full shared share split friend family kid wife husband mom mum dad
        mother father grandma grandpa grandmother grandfather aunt uncle neighbor neighbour mid
        yum yumm mmm wow haha omg hmm way work gym movie walk run school office car bus place
        party restaurant cafe meeting birthday christmas thanksgiving weekend weekday monday
        tuesday wednesday thursday friday saturday sunday workout training practice class desk
        couch bed hotel airport flight train store shop vending machine drive thru takeout
        takeaway delivery buffet cheat diet keto paleo cook tried try enjoyed snacked munched
        nibbled sipped devoured bought buy picked served serve filled topping sprinkled spread
        wrapped rolled covered dipped tossed dressed instead besides between across along ago
        hour minute min hr oclock first second last next alone together amount quantity log
        logged track tracking entry note super pretty kinda sorta actually basically literally
        honestly btw myself ourselves everyone everything anything nothing something someone
        nibble season side sides here put placed poured pour drizzled using used use though
        although however if
        """

    private static let asides = """
        for after before during at from while because until since near via around to
        """

    private static let brands = """
        mcdonald mcdonalds mcd starbuck wendys wendy kfc subway chipotle tacobell dominos domino
        kellogg kelloggs kellogs quaker chobani fage oikos yoplait dannon danone activia siggi
        siggis heinz kraft nestle hershey trader joe joes kirkland costco walmart tesco
        sainsbury asda aldi lidl safeway wholefood tyson perdue oscar mayer hellmann campbell
        campbells progresso barilla lay ritz nature valley general mill silk oatly alpro
        tropicana minute maid simply dole delmonte chiquita birdseye birds eye amy amys annie
        annies lean cuisine stouffer stouffers digiorno panera dunkin dunkins tim horton hortons
        costa pret panda express popeyes chickfila arbys arby sonic denny dennys ihop applebee
        applebees outback nando nandos greggs wetherspoon optimum nutrition myprotein muscle
        milk isopure fairlife horizon lactaid land lake kerrygold philly skippy jif smucker
        smuckers bonne maman
        """

    /// Ways of making that belong into the name of an item.
    static let preparations = """
        grilled baked roasted roast fried steamed boiled poached smoked raw toasted sauteed
        mashed scrambled braised stewed blackened barbecued bbq iced breaded battered
        caramelized glazed pickled dried canned tinned
        """

    private static let modifiers = """
        sliced diced chopped minced shredded grated crumbled crispy crunchy creamy hot cold warm
        spicy sweet plain lean boneless skinless skin bone thick thin low high reduced less
        vegan vegetarian veggie whole unsalted salted unsweetened sweetened sugarless seasoned
        marinated stuffed mixed assorted drained cubed peeled ripe deep air oven wood fire rare
        well soft hard buttery buttered lowfat nonfat non decaf black red green yellow white
        brown golden purple dark mini cheesy garlicky herby tender juicy vanilla flavored
        flavoured flavor flavour halved quartered crushed melted blended stir dry wet packed
        bottled jarred atlantic pacific wild farmed greek italian french mexican chinese thai
        indian japanese korean turkish spanish english american southern traditional classic
        original gourmet artisan rustic hearty loaded double triple medium store bought instant
        skim semi full farm cage grass yellowfin virgin local seasonal steel cut multigrain
        wholegrain wholemeal seeded sparkling fizzy chilled heated microwaved
        """

    static func isAbbreviation(_ text: [UInt8]) -> Bool {
        let word = String(decoding: text, as: UTF8.self)
        return Measure.measured[word] != nil || Measure.sameAs[word] != nil
            || ["tbsp", "tsp", "lbs", "approx", "med", "lg", "sm", "fl"].contains(word)
    }

    /// Whether a word means something here, as other than a food.
    static func knows(_ lemma: String) -> Bool {
        roles[lemma] != nil || numbers[lemma] != nil || about[lemma] != nil || parts[lemma] != nil
            || sizes[lemma] != nil || Measure.measured[lemma] != nil
            || Measure.sameAs[lemma] != nil || Measure.vessels[lemma] != nil
            || Measure.pieces[lemma] != nil
            || [
                "dozen", "hundred", "x", "serving", "piece", "fl",
                "fluid", "time",
            ].contains(lemma)
    }

    /// Words that people misspell and that are no foods' names.
    static let correctable: [String] =
        (Array(numbers.keys) + Array(sizes.keys) + Array(Measure.vessels.keys)
        + Array(Measure.pieces.keys) + Array(Measure.sameAs.keys) + [
            "serving", "piece", "dozen", "ounce", "gram", "kilogram", "without", "grilled",
            "scrambled", "roasted", "steamed", "breakfast", "lunch", "dinner", "toasted",
        ]).sorted()
}
