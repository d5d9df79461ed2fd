/// Written by hand, as people speak into a phone, before the analyser had read them.
enum GoldenCases {
    static let all = everyday + families + outings + hard + unseen

    static let everyday: [GoldenCase] = [
        GoldenCase(
            "Just met with John at the coffee shop to discuss the project.", names: ["John"],
            place: "the coffee shop", themes: ["work", "coffee"]),
        GoldenCase("Walking through MIT campus", place: "MIT campus", themes: ["learning"]),
        GoldenCase("Test", themes: []),
        GoldenCase(
            "Had lunch with Sarah and Tom near the river. The weather was beautiful.",
            names: ["Sarah", "Tom"], place: "the river", mood: "happy", themes: ["food", "nature"]),
        GoldenCase(
            "My boss Linda gave me great feedback on the presentation today.", names: ["Linda"],
            mood: "happy", themes: ["work"]),
        GoldenCase(
            "I'm exhausted after three meetings in a row, but the report is finished.",
            mood: "tired", themes: ["work"]),
        GoldenCase(
            "Stuck in traffic on the highway again, so frustrating.", mood: "frustrated",
            themes: ["commute"]),
        GoldenCase(
            "Standup with the team. Priya is blocked on the API and Marcus will help her.",
            names: ["Priya", "Marcus"], themes: ["work", "technology"]),
        GoldenCase(
            "Reviewing the budget with Mr. Peterson this afternoon.", names: ["Mr. Peterson"],
            themes: ["work"]),
        GoldenCase(
            "We finally shipped version two! I'm so proud of the team.", mood: "proud",
            themes: ["achievement"]),
        GoldenCase(
            "Dr. Chen says my blood pressure is back to normal. Relieved and grateful.",
            names: ["Dr. Chen"], mood: "grateful", themes: ["health"]),
        GoldenCase(
            "I feel sick today, headache and fever, staying in bed.", mood: "unwell",
            themes: ["health"]),
        GoldenCase(
            "Interviewed a candidate named Xiomara for the design role.", names: ["Xiomara"],
            themes: ["work"]),
        GoldenCase(
            "The demo crashed in front of the client. I was so embarrassed and stressed.",
            mood: "stressed", themes: ["work"]),
        GoldenCase(
            "Coffee with Anna, my sister, at Blue Bottle.", names: ["Anna"], place: "Blue Bottle",
            themes: ["coffee", "family"]),
        GoldenCase(
            "Talked to Michael about the startup idea. He thinks we should pitch it in March.",
            names: ["Michael"], themes: ["work"]),
        GoldenCase(
            "Debugging the server all night. Not happy about it.", mood: "sad",
            themes: ["technology"]),
        GoldenCase(
            "Quiet morning at home with a book and some tea. So peaceful.", place: "home",
            mood: "relaxed", themes: ["reading"]),
        GoldenCase(
            "Bumped into my old professor Alan Whitfield at the library.",
            names: ["Alan Whitfield"], place: "the library", themes: ["learning"]),
        GoldenCase(
            "Nervous about the interview tomorrow at Google.", mood: "anxious", themes: ["work"]),
        GoldenCase(
            "Paid the rent and the electricity bill. Money is tight this month.",
            themes: ["money", "home"]),
        GoldenCase(
            "The meeting with Rebecca Stone went really well, she loved the proposal.",
            names: ["Rebecca Stone"], mood: "loving", themes: ["work"]),
    ]

    static let families: [GoldenCase] = [
        GoldenCase(
            "Mom called to say she landed safely in Chicago.", names: ["Mom"], place: "Chicago",
            themes: ["family", "travel"]),
        GoldenCase(
            "Uncle Bob told us the funniest story at Thanksgiving dinner.", names: ["Bob"],
            themes: ["family", "food"]),
        GoldenCase(
            "Picked up the kids from school and took them to the playground.",
            place: "the playground", themes: ["family", "children"]),
        GoldenCase(
            "My daughter Mia took her first steps today! I cried happy tears.", names: ["Mia"],
            mood: "happy", themes: ["family"]),
        GoldenCase(
            "Baked a chocolate cake with Grandma in her kitchen.", names: ["Grandma"],
            place: "her kitchen", themes: ["cooking", "family"]),
        GoldenCase(
            "Leo and Ella built a sandcastle on the beach.", names: ["Leo", "Ella"],
            place: "the beach", themes: ["nature"]),
        GoldenCase(
            "My brother-in-law Carlos is fixing our roof this weekend.", names: ["Carlos"],
            themes: ["family", "home"]),
        GoldenCase(
            "Celebrated my parents' anniversary at an Italian restaurant with cousins Nina and Paul.",
            names: ["Nina", "Paul"], place: "Italian restaurant", mood: "happy",
            themes: ["celebration", "family", "food"]),
        GoldenCase(
            "Dad and I watched the baseball game at Fenway Park.", names: ["Dad"],
            place: "Fenway Park", themes: ["sports", "family"]),
        GoldenCase(
            "I miss my grandmother so much today, it's her birthday.", mood: "sad",
            themes: ["family", "celebration"]),
        GoldenCase(
            "Emma's recital was amazing, she played the piano beautifully.", names: ["Emma"],
            mood: "happy", themes: ["music"]),
        GoldenCase(
            "Argued with my husband about the dishes again. I'm angry.", mood: "angry",
            themes: ["home", "family"]),
        GoldenCase(
            "Our neighbor Mrs. Kowalski brought over fresh tomatoes from her garden.",
            names: ["Mrs. Kowalski"], themes: ["gardening"]),
        GoldenCase(
            "Bedtime stories with Theo. He laughed at every silly voice.", names: ["Theo"],
            mood: "amused", themes: ["children"]),
        GoldenCase(
            "Aunt Rosa and Uncle Miguel are visiting from Texas.", names: ["Rosa", "Miguel"],
            place: "Texas", themes: ["family"]),
        GoldenCase(
            "Took our puppy Biscuit to the vet for a checkup.",
            place: "the vet", themes: ["pets", "health"]),
        GoldenCase(
            "The funeral was today. Everybody cried. I will always remember Grandpa's laugh.",
            names: ["Grandpa"], mood: "sad", themes: ["loss"]),
        GoldenCase(
            "Video call with my friends Jonas and Freya, who just had a baby.",
            names: ["Jonas", "Freya"], themes: ["friendship", "family"]),
        GoldenCase(
            "My wife Aisha surprised me with concert tickets. I love her.", names: ["Aisha"],
            mood: "loving", themes: ["music", "family"]),
        GoldenCase(
            "Helped William with his math homework at the kitchen table.", names: ["William"],
            themes: ["learning"]),
    ]

    static let outings: [GoldenCase] = [
        GoldenCase(
            "Hiking in Yosemite National Park with Daniel. The waterfalls are incredible.",
            names: ["Daniel"], place: "Yosemite National Park", themes: ["nature", "exercise"]),
        GoldenCase(
            "Visited the Museum of Modern Art in New York.",
            place: "the Museum of Modern Art in New York", themes: ["art"]),
        GoldenCase(
            "Our flight to Paris is delayed by three hours. Annoyed and hungry at the airport.",
            place: "the airport", mood: "frustrated", themes: ["travel"]),
        GoldenCase(
            "Sunset over Lake Michigan, so calm and peaceful.", place: "Lake Michigan",
            mood: "relaxed", themes: ["nature"]),
        GoldenCase(
            "Morning run along the Charles River, five miles before breakfast.",
            place: "the Charles River", themes: ["exercise"]),
        GoldenCase(
            "Yoga class at the gym with Olivia, feeling relaxed.", names: ["Olivia"],
            place: "the gym", mood: "relaxed", themes: ["exercise"]),
        GoldenCase(
            "Exploring the old town of Lisbon, eating pastries and taking photos.",
            place: "the old town of Lisbon", themes: ["food"]),
        GoldenCase(
            "Great concert at Madison Square Garden last night with Kevin and Luis!",
            names: ["Kevin", "Luis"], place: "Madison Square Garden", mood: "happy",
            themes: ["music"]),
        GoldenCase(
            "Shopping for groceries at Walmart. Forgot the milk.", place: "Walmart",
            themes: ["shopping"]),
        GoldenCase(
            "Saw the new Dune movie at the cinema with Hannah. It was fantastic.",
            names: ["Hannah"], place: "the cinema", mood: "happy", themes: ["movies"]),
        GoldenCase(
            "Played tennis with Coach Ramirez and lost badly, but it was fun.",
            names: ["Coach Ramirez"], mood: "happy", themes: ["sports"]),
        GoldenCase(
            "Dinner at a tiny ramen place in Brooklyn with Yuki.", names: ["Yuki"],
            place: "tiny ramen place in Brooklyn", themes: ["food"]),
        GoldenCase(
            "Camping near Mount Rainier. The stars are unbelievable.", place: "Mount Rainier",
            themes: ["nature"]),
        GoldenCase(
            "Surfing lesson in Santa Cruz, I stood up on the board twice! So excited!",
            place: "Santa Cruz", mood: "excited", themes: ["sports"]),
        GoldenCase(
            "Took the train to Boston to see Charlotte.", names: ["Charlotte"], place: "Boston",
            themes: ["commute"]),
        GoldenCase(
            "Bought three novels at the bookstore on Elm Street.",
            place: "the bookstore on Elm Street", themes: ["shopping", "reading"]),
        GoldenCase(
            "Walking the dog in the park, it's cold but sunny.", place: "the park",
            themes: ["pets", "nature", "weather"]),
        GoldenCase(
            "At the hackathon in Cambridge, building a VR headset app with Po-Lin and Ravi.",
            names: ["Po-Lin", "Ravi"], place: "the hackathon in Cambridge",
            themes: ["technology"]),
        GoldenCase(
            "Road trip through Utah. The canyons look like another planet.", place: "Utah",
            themes: ["travel", "nature"]),
        GoldenCase(
            "Beers at O'Malley's Pub with Sean, Patrick and the guys from work.",
            names: ["Sean", "Patrick"], place: "O'Malley's Pub", themes: ["work"]),
        GoldenCase(
            "Graduation ceremony at Stanford University. Proud of Isabella!",
            names: ["Isabella"], place: "Stanford University", mood: "proud",
            themes: ["celebration", "learning"]),
    ]

    static let hard: [GoldenCase] = [
        GoldenCase(
            "met with john and priya at the office, we talked about the roadmap",
            names: ["John", "Priya"], place: "the office", themes: ["work"]),
        GoldenCase(
            "had coffee with emily in boston", names: ["Emily"], place: "Boston",
            themes: ["coffee"]),
        GoldenCase(
            "May was a long month, but June looks better.", themes: []),
        GoldenCase(
            "Met April and June at the party. June is hilarious.", names: ["April", "June"],
            mood: "amused", themes: ["celebration"]),
        GoldenCase(
            "Will you remember to call the bank on Monday?", themes: ["money"]),
        GoldenCase("Will came by with pizza.", names: ["Will"], themes: ["food"]),
        GoldenCase("I wasn't tired at all, I felt great.", mood: "happy", themes: []),
        GoldenCase(
            "It was not boring, but I am a little sad that it's over.", mood: "sad", themes: []),
        GoldenCase("Grace said grace before dinner.", names: ["Grace"], themes: ["food"]),
        GoldenCase(
            "Nobody from Apple or Microsoft showed up on Tuesday.", themes: []),
        GoldenCase(
            "Christmas in Vienna: mulled wine, snow and an old friend, Katarina Novak.",
            names: ["Katarina Novak"], place: "Vienna", themes: ["friendship", "weather"]),
        GoldenCase(
            "Professor Okafor's lecture on black holes was fascinating.",
            names: ["Professor Okafor"], mood: "curious", themes: ["learning"]),
        GoldenCase(
            "Thank God it's Friday. Relaxing on the couch with Netflix.", mood: "relaxed",
            themes: ["rest"]),
        GoldenCase(
            "Tom's car broke down, so Sam and I drove him home.", names: ["Tom", "Sam"],
            themes: ["commute"]),
        GoldenCase(
            "Everyone loved the soup. Especially Mr. and Mrs. Alvarez.",
            names: ["Mrs. Alvarez"], mood: "loving", themes: ["food"]),
        GoldenCase(
            "Jordan is my new roommate. He plays guitar and studies physics at Boston University.",
            names: ["Jordan"], place: "Boston University", themes: ["music", "learning"]),
        GoldenCase(
            "Spoke with Maria José de la Cruz about the apartment.",
            names: ["Maria José de la Cruz"], themes: ["home"]),
        GoldenCase(
            "LUNCH WITH DAVID AT THE OFFICE", names: ["David"], place: "the office",
            themes: ["food", "work"]),
        GoldenCase(
            "I don't hate my job. I'm just bored.", mood: "bored", themes: ["work"]),
        GoldenCase(
            "The Smiths invited us over. Their house on Maple Avenue is lovely.", mood: "happy",
            themes: ["home"]),
        GoldenCase(
            "Paris was lovely, but Paris Nguyen was late as always.", names: ["Paris Nguyen"],
            mood: "happy", themes: []),
        GoldenCase(
            "Finished the marathon! Four hours and two minutes. Jake was waiting at the finish line.",
            names: ["Jake"], themes: ["exercise", "achievement"]),
        GoldenCase(
            "Reading Jane Austen in the garden.", place: "the garden",
            themes: ["reading"]),
        GoldenCase(
            "Feeling lonely in this new city. Everyone I know is far away.", mood: "lonely",
            themes: []),
        GoldenCase(
            "Therapy with Dr. Emily Watson helped. I'm hopeful.", names: ["Emily Watson"],
            mood: "hopeful", themes: ["health"]),
    ]
}
