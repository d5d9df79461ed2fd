extension Unicode.Scalar {
    /// Whether a terminal shows it and does nothing else: no control character (ESC begins
    /// sequences that change the terminal, CR overwrites the line), no direction mark, no
    /// invisible format character.
    ///
    /// Text from other sources that goes to a terminal or a log has no other characters.
    public var isHarmlessOnTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
        default: true
        }
    }
}

extension JSONString {
    /// The same as ``quoted(_:)``, with escapes for everything that a terminal might act on.
    public static func quotedForTerminal(_ text: String) -> String {
        var safe = ""
        for scalar in quoted(text).unicodeScalars {
            if scalar.isHarmlessOnTerminal {
                safe.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return safe
    }
}
