/// Words for what one person is to another.
enum Kinship {
    /// The word for one person, as a contact's relationship shows it: `bosses` → `boss`.
    static func relationship(_ key: String) -> String? {
        if let plain = aliases[key] { return plain }
        if singular.contains(key) { return key }
        for ending in ["es", "s"] where key.hasSuffix(ending) {
            let stem = String(key.dropLast(ending.count))
            if singular.contains(stem) { return stem }
        }
        return nil
    }

    /// Names of those who need no other: `Mom` → mother. Lower case.
    static let family: [String: String] = [
        "mom": "mother", "mum": "mother", "mommy": "mother", "mama": "mother", "dad": "father",
        "daddy": "father", "papa": "father", "grandma": "grandmother", "granny": "grandmother",
        "nana": "grandmother", "grandpa": "grandfather", "grandad": "grandfather",
        "granddad": "grandfather",
    ]

    /// Stand before a name and say who it is: `Uncle Bob`.
    static let familyTitles: [String: String] = [
        "uncle": "uncle", "aunt": "aunt", "auntie": "aunt", "cousin": "cousin",
        "grandma": "grandmother", "grandpa": "grandfather", "nana": "grandmother",
    ]

    /// Stand before a name and belong to it when there is but one word: `Dr. Chen`.
    static let titles: [String: String] = [
        "dr": "Dr.", "doctor": "Dr.", "mr": "Mr.", "mister": "Mr.", "mrs": "Mrs.", "ms": "Ms.",
        "miss": "Miss", "prof": "Professor", "professor": "Professor", "coach": "Coach",
        "pastor": "Pastor", "rabbi": "Rabbi", "father": "Father", "captain": "Captain",
        "officer": "Officer", "judge": "Judge", "chef": "Chef", "senator": "Senator",
        "mayor": "Mayor", "president": "President", "principal": "Principal", "nurse": "Nurse",
    ]

    private static let aliases: [String: String] = [
        "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother",
        "grandpa": "grandfather", "wives": "wife", "children": "child", "kids": "child",
        "kid": "child", "co-worker": "coworker", "co-workers": "coworker", "buddies": "friend",
        "buddy": "friend", "pal": "friend", "pals": "friend", "bestie": "best friend",
        "girlfriends": "friend", "teammates": "teammate", "fiance": "fiancé",
        "fiancee": "fiancée", "roomie": "roommate", "ex": "ex",
    ]

    private static let singular = GivenNames.words(
        """
        sister brother mother father son daughter wife husband partner girlfriend boyfriend fiancé
        fiancée friend boss manager coworker colleague teammate roommate flatmate housemate neighbor
        neighbour cousin uncle aunt nephew niece grandmother grandfather grandson granddaughter
        teacher student professor mentor mentee doctor dentist therapist coach trainer client
        customer landlord stepmother stepfather stepbrother stepsister stepson stepdaughter
        mother-in-law father-in-law brother-in-law sister-in-law godmother godfather classmate
        supervisor intern assistant cofounder co-founder babysitter nanny twin child baby
        instructor advisor adviser lawyer accountant barber hairdresser veterinarian vet
        """)
}
