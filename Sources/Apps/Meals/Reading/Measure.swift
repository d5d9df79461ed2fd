/// A unit that an amount is in.
enum Measure: Sendable, Equatable {
    /// Grams in one.
    case mass(grams: Double, label: String)
    /// Millilitres in one.
    case volume(millilitres: Double, label: String)
    /// A word that the food's table says the weight of.
    case household(String)

    /// Ounces are of weight, and of volume where something is drunk.
    static let ounce = Self.mass(grams: 28.35, label: "oz")
    static let fluidOunce = Self.volume(millilitres: 29.57, label: "fl oz")

    /// Units that mean the same for every food, by lemma.
    static let measured: [String: Self] = {
        var units: [String: Self] = [:]
        let masses: [(Double, String, [String])] = [
            (1, "g", ["g", "gm", "gr", "gram", "gramme", "grm"]),
            (1000, "kg", ["kg", "kilo", "kilogram", "kgs"]),
            (0.001, "mg", ["mg", "milligram"]),
            (453.59, "lb", ["lb", "pound"]),
        ]
        for (grams, label, words) in masses {
            for word in words { units[word] = .mass(grams: grams, label: label) }
        }
        let volumes: [(Double, String, [String])] = [
            (1, "ml", ["ml", "milliliter", "millilitre", "mls", "cc"]),
            (10, "cl", ["cl", "centiliter", "centilitre"]),
            (100, "dl", ["dl", "deciliter", "decilitre"]),
            (1000, "l", ["l", "liter", "litre", "ltr", "lt"]),
            (946.4, "quart", ["quart", "qt"]),
            (3785, "gallon", ["gallon", "gal"]),
        ]
        for (millilitres, label, words) in volumes {
            for word in words { units[word] = .volume(millilitres: millilitres, label: label) }
        }
        for word in ["oz", "ounce", "ozs"] { units[word] = ounce }
        return units
    }()

    /// Other words for household units, by lemma.
    static let sameAs: [String: String] = [
        "tablespoon": "tbsp", "tbs": "tbsp", "tbl": "tbsp", "tblsp": "tbsp", "tbsps": "tbsp",
        "tablespoonful": "tbsp", "dessertspoon": "tbsp", "teaspoon": "tsp", "tsps": "tsp",
        "teaspoonful": "tsp", "spoonful": "spoon", "pc": "piece", "pcs": "piece", "pce": "piece",
        "tin": "can", "cupful": "cup", "glassful": "glass", "bowlful": "bowl", "plateful": "plate",
        "handfull": "handful", "fistful": "handful", "sachet": "packet", "pouch": "packet",
        "package": "pack", "pkg": "pack", "portion": "serving", "helping": "serving",
        "order": "serving", "filet": "fillet", "dollop": "spoon", "blob": "spoon", "pt": "pint",
        "slab": "slice", "hunk": "piece", "chunk": "piece", "bit": "piece",
        "cob": "ear", "dish": "plate", "saucer": "bowl", "tumbler": "glass",
    ]

    /// Millilitres of household units that hold something.
    static let vessels: [String: Double] = [
        "tsp": 5, "tbsp": 15, "spoon": 15, "shot": 44, "splash": 15, "drizzle": 7, "squeeze": 5,
        "cup": 240, "mug": 300, "glass": 250, "bottle": 500, "pint": 473, "bowl": 300,
        "plate": 300, "can": 355, "jar": 300, "carton": 250, "box": 200, "jug": 1000,
        "pitcher": 1500, "pot": 300, "ladle": 120, "sip": 15, "gulp": 30, "flute": 125,
        "growler": 1890,
    ]

    /// Grams of household units that a food's table need not say.
    static let pieces: [String: Double] = [
        "handful": 30, "slice": 30, "strip": 15, "stick": 20, "scoop": 60, "bag": 40, "packet": 30,
        "pack": 100, "container": 170, "tub": 170, "bar": 45, "dash": 0.5, "pinch": 0.4,
        "sprinkle": 2, "drop": 0.1, "knob": 10, "pat": 5, "wedge": 30, "square": 10, "cube": 15,
        "ball": 30, "side": 100, "basket": 150, "leaf": 5, "fillet": 150, "steak": 200,
        "patty": 100, "sheet": 10, "ring": 10, "bunch": 100, "clove": 3, "sprig": 1, "stalk": 40,
        "head": 400, "tray": 250, "loaf": 450, "stack": 114, "cone": 80, "inch": 38, "block": 200,
        "link": 60, "rasher": 20, "floret": 12, "nugget": 16, "roll": 45, "bun": 50, "chop": 120,
        "rack": 500, "row": 25, "breast": 170, "thigh": 100, "drumstick": 70,
        "wing": 30, "leg": 120, "ear": 100, "tablet": 0.1, "bite": 20, "mouthful": 20,
        "forkful": 15,
        "nibble": 10, "taste": 15, "sliver": 25, "tin": 120, "tube": 100, "punnet": 250,
    ]

    /// Words of ``pieces`` that also mean a meal: "a quick bite".
    static let mouthfuls: Set<String> = ["bite", "nibble", "taste", "mouthful", "forkful"]

    /// What else a food's table may call it, in the order of likeness.
    static let alike: [String: [String]] = [
        "slice": ["piece", "wedge", "strip", "square"], "strip": ["slice", "rasher", "stick"],
        "rasher": ["slice", "strip"], "piece": ["slice", "nugget", "square", "cube"],
        "glass": ["cup", "mug"], "mug": ["cup", "glass"], "cup": [], "bowl": ["plate", "serving"],
        "plate": ["bowl", "serving"], "container": ["tub", "pot", "carton"],
        "tub": ["container", "pot"], "pot": ["container", "tub"],
        "packet": ["bag", "pack", "pouch"], "bag": ["packet", "pack", "serving"],
        "pack": ["packet", "bag", "container"], "box": ["carton", "packet"],
        "carton": ["container", "box", "bottle"], "bar": ["piece"], "stick": ["piece", "bar"],
        "scoop": ["serving"], "spoon": ["tbsp"], "splash": ["tbsp"], "drizzle": ["tbsp"],
        "fillet": ["piece", "breast"], "steak": ["fillet", "piece"], "patty": ["piece"],
        "link": ["piece"], "wedge": ["slice", "piece"], "square": ["piece", "slice"],
        "cube": ["piece"], "ball": ["piece", "scoop"], "side": ["serving", "cup"],
        "basket": ["serving"], "roll": ["piece"], "bun": ["piece"], "cone": ["scoop"],
        "chop": ["piece"], "stalk": ["stick", "spear"], "ear": ["piece", "cob"],
        "leaf": ["slice"], "flute": ["glass"], "shot": [], "breast": ["piece", "fillet"],
        "loaf": ["piece"], "stack": ["serving"], "dash": ["pinch", "tsp"], "knob": ["pat", "tbsp"],
        "sprinkle": ["tbsp"], "tray": ["serving"], "rack": ["serving"], "handful": ["serving"],
    ]

    /// Units that one counts, so that a plural without a number means about two.
    static let counted: Set<String> = [
        "piece", "large", "medium", "small", "slice", "strip", "link", "patty", "breast", "thigh",
        "drumstick", "wing", "leg", "fillet", "steak", "chop", "stick", "egg", "roll", "spear",
        "stalk", "bar", "square", "ball", "biscuit", "leaf", "half", "ear",
    ]
}
