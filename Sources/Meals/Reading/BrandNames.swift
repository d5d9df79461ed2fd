/// Names of shops and makers that are more than one word, some of them foods' words: taken out of a
/// sentence before anything else is read.
enum BrandNames {
    private static let names: [String: [[String]]] = {
        let texts = [
            "chick fil a", "chic fil a", "in n out", "in and out", "five guys", "5 guys",
            "taco bell", "burger king", "pizza hut", "jack in the box", "whole foods",
            "trader joes",
            "ben and jerrys", "dairy queen", "jimmy johns", "little caesars", "papa johns",
            "krispy kreme", "dunkin donuts", "tim hortons", "olive garden", "cheesecake factory",
            "uncle bens", "cold stone", "shake shack", "white castle", "red lobster",
            "waffle house", "panda express", "baskin robbins", "cracker barrel", "oscar mayer",
            "lean cuisine", "healthy choice", "nature valley", "birds eye", "green giant",
            "land o lakes", "general mills", "bobs red mill", "hidden valley", "panera bread",
            "outback steakhouse", "texas roadhouse", "raising canes", "auntie annes",
            "optimum nutrition", "muscle milk", "simply orange", "blue diamond", "sweet baby rays",
            "franks red hot", "good culture", "two good", "one bar", "daves killer", "ezekiel",
            "pret a manger", "marks and spencer", "itsu", "leon",
        ]
        var names: [String: [[String]]] = [:]
        for text in texts {
            let words = text.split(separator: " ").map { Lemma.of(String($0)) }
            names[words[0], default: []].append(words)
        }
        return names
    }()

    /// The tokens without them. "5" begins one as a number.
    static func without(_ tokens: [Token]) -> [Token] {
        var left: [Token] = []
        var at = 0
        while at < tokens.count {
            let rest = tokens[at...]
            let known = names[word(tokens[at])]?.first { name in
                rest.count >= name.count && zip(name, rest).allSatisfy { $0 == word($1) }
            }
            if let known {
                at += known.count
            } else {
                left.append(tokens[at])
                at += 1
            }
        }
        return left
    }

    private static func word(_ token: Token) -> String {
        if case .number(let value, false) = token.kind, value == 5 { "5" } else { token.lemma }
    }
}
