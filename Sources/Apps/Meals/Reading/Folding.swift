import Foundation

/// Folds Unicode to lower-cased ASCII for `Tokenizer`.
enum Folding {
    /// The ASCII text for a scalar; nil if the scalar is dropped.
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

    /// The letter without its accent.
    private static func latin(_ scalar: Unicode.Scalar) -> String {
        let plain = String(scalar).folding(
            options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
        let letter = ["ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i"][plain] ?? plain
        return letter.utf8.allSatisfy { $0 < 0x80 } ? letter : " "
    }

    /// The value of a fraction sign; nil for other scalars.
    static func fraction(_ scalar: Unicode.Scalar) -> Double? {
        scalar.properties.numericValue.flatMap { 0 < $0 && $0 < 1 ? $0 : nil }
    }
}
