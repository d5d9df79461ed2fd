/// Unicode to lower-cased ASCII: what letters and marks mean to `Tokenizer`.
enum Folding {
    /// What a scalar becomes; nil: nothing.
    static func ascii(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x41...0x5A: String(Unicode.Scalar(UInt8(scalar.value + 32)))
        case 0x0A, 0x0D, 0x2028, 0x2029, 0x2022, 0xB7, 0x25AA, 0x25CF: "\n"
        case 0x00...0x7F: scalar.value < 32 ? " " : String(scalar)
        case 0x300...0x36F, 0xAD, 0x200B...0x200D, 0xFE0F, 0xFEFF: nil
        case 0x2018, 0x2019, 0x2032, 0xB4, 0x60: "'"
        case 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212: "-"
        case 0xD7: "x"
        case 0xDF: "ss"
        case 0xC6, 0xE6: "ae"
        case 0x152, 0x153: "oe"
        case 0x2044: "/"
        case 0xC0...0x17F: latin(scalar)
        default: " "
        }
    }

    /// The letter under an accent.
    private static func latin(_ scalar: Unicode.Scalar) -> String {
        let letters: [(ClosedRange<UInt32>, String)] = [
            (0xC0...0xC5, "a"), (0xC7...0xC7, "c"), (0xC8...0xCB, "e"), (0xCC...0xCF, "i"),
            (0xD1...0xD1, "n"), (0xD2...0xD6, "o"), (0xD8...0xD8, "o"), (0xD9...0xDC, "u"),
            (0xDD...0xDD, "y"), (0xE0...0xE5, "a"), (0xE7...0xE7, "c"), (0xE8...0xEB, "e"),
            (0xEC...0xEF, "i"), (0xF1...0xF1, "n"), (0xF2...0xF6, "o"), (0xF8...0xF8, "o"),
            (0xF9...0xFC, "u"), (0xFD...0xFD, "y"), (0xFF...0xFF, "y"), (0x100...0x105, "a"),
            (0x106...0x10D, "c"), (0x10E...0x111, "d"), (0x112...0x11B, "e"), (0x11C...0x123, "g"),
            (0x128...0x131, "i"), (0x139...0x142, "l"), (0x143...0x148, "n"), (0x14C...0x151, "o"),
            (0x154...0x159, "r"), (0x15A...0x161, "s"), (0x162...0x167, "t"), (0x168...0x173, "u"),
            (0x179...0x17E, "z"),
        ]
        return letters.first { $0.0.contains(scalar.value) }?.1 ?? " "
    }

    /// Numerator and denominator of the signs that are fractions.
    static func fraction(_ scalar: Unicode.Scalar) -> Double? {
        switch scalar {
        case "½": 1.0 / 2
        case "⅓": 1.0 / 3
        case "⅔": 2.0 / 3
        case "¼": 1.0 / 4
        case "¾": 3.0 / 4
        case "⅕": 1.0 / 5
        case "⅖": 2.0 / 5
        case "⅗": 3.0 / 5
        case "⅘": 4.0 / 5
        case "⅙": 1.0 / 6
        case "⅚": 5.0 / 6
        case "⅛": 1.0 / 8
        case "⅜": 3.0 / 8
        case "⅝": 5.0 / 8
        case "⅞": 7.0 / 8
        default: nil
        }
    }
}
