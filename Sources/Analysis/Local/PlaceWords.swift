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
