/// Topics and the words that point at them, lower case, in their plain form; phrases of two words
/// are joined by `_`.
enum ThemeLexicon {
    /// What is first wins among equals.
    static let topics: [(name: String, words: String)] = [
        (
            "work",
            """
            work project meeting office boss deadline client presentation coworker colleague manager
            job career interview report email budget sprint standup demo pitch contract promotion
            business startup proposal quarterly roadmap investor customer team launch shift hire
            """
        ),
        (
            "family",
            """
            family mom dad mother father sister brother son daughter grandma grandpa grandmother
            grandfather cousin uncle aunt parent kid child baby wife husband niece nephew reunion
            twin
            mum children toddler mother-in-law father-in-law brother-in-law
            sister-in-law stepmother stepfather
            """
        ),
        ("friendship", "friend friends buddy bestie hangout roommate best_friend hang_out"),
        (
            "food",
            """
            food lunch dinner breakfast brunch restaurant pizza sushi taco burger meal ate eat
            eating
            delicious dessert cake bakery noodle ramen pasta salad sandwich soup snack bread cheese
            chocolate croissant bagel curry pie cookie steak pancake kitchen ice_cream picnic hungry
            appetizer menu tasting
            """
        ),
        ("coffee", "coffee cafe café espresso latte cappuccino barista tea matcha starbucks"),
        (
            "cooking",
            """
            cook cooking cooked bake baked baking recipe oven grill grilling roast
            simmer
            """
        ),
        (
            "travel",
            """
            travel trip flight airport hotel vacation passport tour tourist sightseeing luggage
            suitcase boarding abroad holiday road_trip landed plane itinerary visa hostel jetlagged
            """
        ),
        (
            "nature",
            """
            hike park mountain forest beach ocean lake river tree flower sunset sunrise trail garden
            bird sky woods waterfall sea wildlife camping stars leaves island canyon deer
            """
        ),
        (
            "exercise",
            """
            run ran running gym workout yoga exercise jog swim swam swimming bike biking cycling
            marathon lift weights treadmill pilates climb climbing training hike stretch push-ups
            """
        ),
        (
            "sports",
            """
            game soccer football basketball baseball tennis hockey match goal score team stadium
            coach
            tournament volleyball golf league championship playoffs skiing surfing
            """
        ),
        (
            "health",
            """
            doctor hospital dentist medicine sick therapy appointment clinic surgery health headache
            fever checkup nurse pain flu blood meditation therapist diagnosis prescription allergy
            vaccine
            """
        ),
        (
            "learning",
            """
            class school study studied exam lecture homework professor student teacher university
            college campus learn learned course lesson research thesis quiz graduation tutorial
            workshop library essay seminar
            """
        ),
        (
            "technology",
            """
            code coding app software computer bug programming hackathon prototype robot laptop
            deploy
            server database ai algorithm website headset phone debug debugging swift python api
            feature machine vr gadget
            """
        ),
        (
            "music",
            """
            music song concert guitar piano band sing singing album playlist violin orchestra drum
            jazz
            choir karaoke melody opera symphony
            """
        ),
        (
            "art",
            """
            art museum gallery painting paint draw drawing sculpture exhibit exhibition sketch
            pottery
            theater theatre ballet artist
            """
        ),
        ("reading", "book novel reading library author chapter bookstore poem poetry bookshop"),
        ("movies", "movie film cinema netflix series episode actor documentary premiere screening"),
        (
            "shopping",
            """
            shop shopping buy bought store mall market grocery groceries price sale supermarket
            gift
            """
        ),
        (
            "home",
            """
            home house apartment clean cleaning laundry furniture move moved moving rent landlord
            backyard kitchen decorate unpacking chore chores dishes garage roof couch living_room
            """
        ),
        ("pets", "dog puppy cat kitten pet vet walk_dog hamster leash paw rabbit parrot"),
        (
            "celebration",
            """
            birthday party wedding anniversary celebrate celebrating graduation congratulations
            toast
            champagne christmas thanksgiving holiday ceremony halloween baby_shower fireworks
            engagement engaged
            """
        ),
        (
            "children",
            """
            kid child toddler playground daycare kindergarten bedtime diaper school_play
            """
        ),
        (
            "romance",
            """
            date girlfriend boyfriend romantic anniversary kiss proposed engaged wedding fiancé
            """
        ),
        (
            "money",
            """
            money pay paid salary bank invest rent bill bills loan savings mortgage tax taxes
            """
        ),
        (
            "gaming",
            """
            video_game videogame console nintendo playstation xbox chess board_game board_games
            """
        ),
        ("faith", "church prayer pray prayed mosque temple synagogue worship sermon faith mass"),
        (
            "weather",
            """
            rain raining snow snowing sunny storm weather windy cold cloudy thunder
            heat humid
            """
        ),
        (
            "commute",
            """
            commute train bus subway traffic drive driving drove uber taxi bike_ride
            metro highway
            """
        ),
        ("rest", "sleep slept nap rest relax relaxing relaxed asleep bed unwind spa sauna massage"),
        (
            "gardening",
            """
            garden gardening plant planted planting tomato seeds soil watering greenhouse
            """
        ),
        (
            "creativity",
            """
            idea write writing wrote design brainstorm create creative sketch craft knitting
            """
        ),
        (
            "conversation",
            """
            talk talked talking chat chatted discuss discussed conversation call called
            """
        ),
        ("loss", "funeral died passed_away grief grieving goodbye memorial mourning"),
        (
            "achievement",
            """
            finish finished won win award completed passed promotion achieved shipped medal
            """
        ),
    ]

    /// From a word to the places of its topics.
    static let index: [String: [Int]] = {
        var index: [String: [Int]] = [:]
        for (place, topic) in topics.enumerated() {
            for word in GivenNames.words(topic.words).sorted() {
                index[word.split(separator: "_").joined(separator: " "), default: []].append(place)
            }
        }
        return index
    }()
}
