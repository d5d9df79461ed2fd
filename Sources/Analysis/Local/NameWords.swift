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
