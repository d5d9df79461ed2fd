extension GoldenCases {
    /// The analyser was never changed to fit these.
    static let unseen: [GoldenCase] = [
        GoldenCase(
            "Breakfast with Benjamin at the diner on Fifth Street, pancakes and gossip.",
            names: ["Benjamin"], place: "the diner on Fifth Street", themes: ["food"]),
        GoldenCase(
            "My roommate Tyler moved out today and I feel a bit lonely.", names: ["Tyler"],
            mood: "lonely", themes: ["home", "friendship"]),
        GoldenCase(
            "Flew from Denver to Seattle to visit Monica.", names: ["Monica"], place: "Seattle",
            themes: ["travel"]),
        GoldenCase(
            "The new intern, Zhang Wei, fixed the login bug in ten minutes. Impressive.",
            names: ["Zhang Wei"], themes: ["technology"]),
        GoldenCase(
            "Watching the rain from the balcony with a cup of tea.", place: "the balcony",
            themes: ["weather", "coffee"]),
        GoldenCase(
            "Gave a talk at the conference in Berlin, I was terrified but it went fine.",
            place: "the conference in Berlin", mood: "anxious", themes: ["work"]),
        GoldenCase(
            "Choir practice with Judith and Henry was canceled.", names: ["Judith", "Henry"],
            mood: "disappointed", themes: ["music"]),
        GoldenCase(
            "Our son Oskar passed his driving test, we are thrilled!", names: ["Oskar"],
            mood: "excited", themes: ["family", "achievement"]),
        GoldenCase(
            "Lost my wallet on the subway. What an awful day.", place: "the subway", mood: "sad",
            themes: ["commute"]),
        GoldenCase(
            "Painting the fence in the backyard while the kids play soccer.",
            place: "the backyard", themes: ["children", "sports"]),
        GoldenCase(
            "Chess with Grandpa. He beat me again.", names: ["Grandpa"], themes: ["gaming"]),
        GoldenCase(
            "Prayed at the mosque with Yusuf and Ibrahim this evening.",
            names: ["Yusuf", "Ibrahim"], place: "the mosque", themes: ["faith"]),
        GoldenCase(
            "Quiet dinner at home, Rachel cooked her famous curry. Delicious.", names: ["Rachel"],
            place: "home", themes: ["food", "cooking"]),
        GoldenCase(
            "Signed the lease for the apartment on Beacon Hill!",
            place: "the apartment on Beacon Hill",
            themes: ["home"]),
        GoldenCase(
            "Physical therapy at Mass General with Dr. Lopez, my knee hurts less.",
            names: ["Dr. Lopez"], place: "Mass General", themes: ["health"]),
        GoldenCase(
            "Sketching in the museum garden. I feel inspired.", place: "the museum garden",
            mood: "inspired", themes: ["art"]),
    ]
}
