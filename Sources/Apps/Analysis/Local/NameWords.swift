import Foundation

/// Words around a name that say that it is one, lower case.
enum NameWords {
    /// Before a name: somebody was met, called, thanked.
    static let before = GivenNames.words(
        """
        with met meet meets meeting called call calling texted texting emailed told tell asked ask
        thanked thank thanks hugged hug joined invited introduced married miss missed missing named
        helped helping kissed surprised visited visiting saw seeing see congratulate congratulated
        interviewed hired mentored taught dating dated love loved photographed followed remember
        remembered facetimed phoned hosted dear hey hi hello bye alongside poor old young little
        beat hear heard watched watching cheered including like let made
        """)

    /// `to` behind these goes to a person.
    static let towards = GivenNames.words(
        """
        talk talked talking speak spoke speaking listen listened listening write wrote writing gave
        give giving said say waved wave sang apologized apologised introduced next close married
        engaged thanks proposed sent send showed explained chatted chatting shout goodbye hello
        taught brought mentioned read reading lost losing
        """)

    /// Behind a name: somebody did something.
    static let after = GivenNames.words(
        """
        said says told tells asked asks laughed laughs smiled smiles thinks thought gave gives showed
        shows came comes called calls helped helps joined joins made makes wants wanted suggested
        suggests brought brings cooked cooks mentioned explained taught teaches invited invites loves
        loved got left arrived agreed cried danced sang played plays won lost ran walked drove hugged
        kissed surprised texted emailed visited visits looked looks seemed seems felt feels promised
        admitted decided started starts finished offered picked dropped beat knows knew likes liked
        lives lived works worked turned graduated proposed moved baked took takes ordered introduced
        reminded convinced wrote read presented led caught fell slept woke who whispered shouted joked
        complained apologized recommended hosted bought paid hates hated needs needed remembers passed
        stopped learned scored fixed sent
        """)

    /// Behind a possessive: a person has them.
    static let owned = GivenNames.words(
        """
        birthday wedding house place party apartment car baby mom dad dog cat graduation parents
        family wife husband recital performance funeral face smile idea advice speech presentation
        office room kitchen garden surgery game team sister brother cooking jokes laugh parents' kids
        daughter son
        """)

    /// Before a capitalised word that is a place, not a person.
    static let local = GivenNames.words(
        """
        at in near on through around into across inside outside along beyond past towards toward off
        over under onto the a an
        """)

    /// In or behind a run of capitalised words: an institution or a place, not a person.
    static let institutions = GivenNames.words(
        """
        street avenue road lane boulevard drive square plaza park lake river mountain mountains mount
        beach bay island bridge tower hotel hostel museum gallery theater theatre cinema stadium arena
        airport station terminal university college school academy institute library hospital clinic
        church cathedral temple mosque synagogue cafe café restaurant bar pub diner bakery market mall
        store shop center centre hall building campus garden gardens zoo aquarium inc llc corp company
        bank group labs lab club gym studio festival conference summit league cup award prize project
        app team department city county state valley canyon falls forest trail pier harbor harbour
        court house palace castle monument pizza coffee brewery kitchen grill bistro times day war act
        marathon bowl series show podcast
        """)

    /// Lower-case words that may stand inside of a name.
    static let particles: Set<String> = ["de", "van", "von", "der", "la", "bin", "al", "del", "da"]
}

/// Names from `names.txt`, lower case and without accents: evidence that a capitalised word is a
/// person, or none that one knows.
///
/// Names that are in no list are found by their context.
enum GivenNames {
    private static let lists = WordList.sections(PackageResources.names_txt)

    /// Names that are hardly ever anything else.
    static let plain = lists["plain"] ?? []

    /// Names that are also words, months, or places: they need more of the context.
    static let ambiguous = lists["ambiguous"] ?? []

    /// Whom everybody knows and nobody meets, works, brands; by the first word.
    static let famous = phrases("public")

    /// Shops and brands without their `'s`, by the first word.
    static let shops = phrases("shops")

    /// Verbs of what only people do.
    static let deeds = lists["deeds"] ?? []

    /// Nouns behind a name that make it something else: a concert, a cake.
    static let works = lists["works"] ?? []

    /// Animals that have names.
    static let pets = lists["pets"] ?? []

    private static func phrases(_ section: String) -> [String: [[String]]] {
        Dictionary(
            grouping: (lists[section] ?? []).map { $0.split(separator: " ").map(String.init) }
        ) { $0[0] }
    }

    /// A word as the lists have it: without accents.
    static func folded(_ key: String) -> String {
        guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { return key }
        let letters: [Character: String] = ["ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "đ": "d"]
        return key.map { letters[$0] ?? String($0) }.joined()
            .folding(options: .diacriticInsensitive, locale: nil)
    }

    /// The words of a literal, of which white space is no part.
    static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}

/// Capitalised words that are no people, lower case.
enum NotNames {
    /// Calendar, languages, peoples, brands, organisations, feasts.
    static let things = GivenNames.words(
        """
        monday tuesday wednesday thursday friday saturday sunday january february march april may
        june july august september october november december mon tue tues wed thu thur thurs fri
        sat sun jan feb mar apr jun jul aug sep sept oct nov dec english spanish french german
        italian chinese japanese korean russian arabic hindi portuguese american british canadian
        mexican indian european asian african thai greek turkish dutch irish scottish swedish polish
        vietnamese christian muslim jewish catholic buddhist christmas easter thanksgiving halloween
        hanukkah ramadan eid diwali passover valentine's god lord google apple amazon facebook meta
        instagram twitter microsoft netflix spotify youtube uber lyft tesla starbucks mcdonald's ikea
        walmart target costco nike adidas samsung sony iphone ipad android macbook windows linux zoom
        slack github gmail whatsapp tiktok linkedin openai gemini chatgpt swift python java kotlin
        xcode figma jira notion excel powerpoint airbnb lego disney marvel nasa mit nyu ucla fbi cia
        nba nfl mlb nhl fifa bbc cnn espn covid wifi internet bluetooth gps tv usb ai vr ar api ios
        iot ceo cto cfo hr pm am ok bbq diy faq asap rsvp usa uk eu us ny nyc la sf dc pr qa ui ux
        i i'm i've i'll i'd mr mrs ms dr republican democrat congress senate olympics
        superbowl earth mars venus jupiter moon spring summer autumn fall winter honda toyota ford bmw
        volvo subaru pepsi coke nintendo playstation xbox pixel kindle alexa siri outlook dropbox
        trader joe's harvard yale stanford princeton oxford cambridge lexus peloton
        """)

    /// Words that start sentences with a capital letter and name nobody.
    static let starters = GivenNames.words(
        """
        the a an this that these those there here he she it we you they i my our your his her its their
        and but or so then now today tonight tomorrow yesterday later soon finally after before while
        when where why what who whom whose which how if because since although though until unless
        as at by for from in into of off on onto out over to through under up with within without about
        above across against along around behind below beneath beside between beyond during inside near
        outside past toward towards upon some any all both each every either neither none no nobody
        everyone everybody someone somebody anyone anybody something anything everything nothing one two
        three four five six seven eight nine ten first second third last next another other many much
        few several more most less least just only also even still already almost always never often
        sometimes usually again once twice maybe perhaps actually honestly basically suddenly luckily
        unfortunately hopefully apparently thankfully sadly happily yes yeah yep no nope okay ok oh wow
        hey hi hello bye thanks thank please sorry well great good nice bad amazing awesome beautiful
        lovely terrible awful perfect fun funny crazy weird cool hot cold warm long short big small new
        old best worst happy sad tired excited nervous proud glad grateful morning afternoon evening
        night noon midnight day week weekend month year breakfast lunch dinner coffee tea work school
        home walking running going getting having being doing making taking seeing looking feeling
        thinking trying working talking eating drinking playing watching reading writing waiting
        sitting standing driving riding flying swimming cooking cleaning shopping studying learning
        teaching meeting met saw went got had was were is are am be been did do does done made took
        came come left let lets let's said told asked called text texted visited finished started
        stopped won lost found bought sold gave ran walked talked spoke ate drank cooked baked watched
        listened played wrote woke slept drove flew took spent tried loved liked hated enjoyed missed
        forgot remember remembered need needed want wanted hope hoping think thought feel felt know
        knew look looked heard hear see can can't could couldn't should shouldn't would wouldn't will
        won't may might must don't didn't doesn't isn't wasn't aren't weren't haven't hasn't hadn't not
        guess wish bring brought pick picked send sent note reminder idea quick brief test testing
        mom's dad's people kids friends family rain snow sun sunny rainy snowy such quite very really
        too rather pretty early late busy free same different half part lots plenty turns turned
        celebrating celebrated congratulations birthday party dropped joined helped hiked biked ordered
        heading headed arriving arrived leaving landed boarding packed unpacking moving moved planted
        picnic concert practice class team doctor dentist traffic train bus flight dog cat welcome
        kind kinda sort lot having wrapped wrapping presented presenting caught catching hanging hung
        ran nearly nearby meanwhile otherwise instead however therefore despite except plus minus per
        attended attending fixed fixing built building shipped shipping reviewed debugging painted
        painting signed passed failed cried laughed argued fought apologized hugged kissed married
        visiting stopped grabbing grabbed enjoying relaxing resting sleeping woken stuck passing
        photo picture video recording dear everyone's today's tonight's yesterday's spending
        """)

    /// Cities, countries and other places that are often spoken of.
    static let places = GivenNames.words(
        """
        boston cambridge brooklyn manhattan queens bronx harlem chicago seattle portland denver
        dallas houston austin miami atlanta philadelphia detroit phoenix orlando tampa baltimore
        minneapolis cleveland pittsburgh sacramento oakland berkeley london paris berlin rome madrid
        barcelona lisbon amsterdam vienna prague munich hamburg zurich geneva brussels dublin
        edinburgh oslo stockholm copenhagen helsinki warsaw budapest athens istanbul moscow tokyo
        kyoto osaka seoul beijing shanghai singapore bangkok hanoi mumbai delhi bangalore dubai cairo
        nairobi lagos sydney melbourne auckland toronto montreal vancouver ottawa mexico brazil
        argentina chile peru colombia cuba america canada england scotland ireland wales france
        germany italy spain portugal greece turkey russia china japan korea india thailand vietnam
        indonesia australia egypt kenya nigeria morocco israel europe asia africa california texas
        florida oregon washington colorado arizona nevada utah maine vermont massachusetts
        connecticut maryland michigan ohio illinois wisconsin hawaii alaska virginia georgia
        carolina tennessee kentucky louisiana missouri iceland norway sweden finland denmark poland
        switzerland austria belgium netherlands venice florence milan naples nashville vegas savannah
        soho tribeca midtown york angeles francisco diego jersey hampshire rhode island somerville
        """)
}
