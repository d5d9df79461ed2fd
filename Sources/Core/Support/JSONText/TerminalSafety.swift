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

extension String {
    /// With `?` for every character that a terminal might act on.
    ///
    /// - Parameter keepsLines: line feeds and tabs stay.
    public func harmlessOnTerminal(keepsLines: Bool = false) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let stays =
                scalar.isHarmlessOnTerminal || keepsLines && (scalar == "\n" || scalar == "\t")
            safe.append(stays ? scalar : "?")
        }
        return String(safe)
    }
}

extension JSONString {
    /// The same as ``quoted(_:)``, with escapes for everything that a terminal might act on.
    public static func quotedForTerminal(_ text: String) -> String {
        escapedForTerminal(quoted(text))
    }

    /// The same JSON value, with escapes for everything in its texts that a terminal might act on.
    ///
    /// - Parameter json: one or more JSON documents. They have control characters only as white
    ///   space between tokens; of these, carriage returns become spaces.
    public static func escapedForTerminal(_ json: String) -> String {
        if json.utf8.allSatisfy({ $0 < 0x7F && $0 != 0x0D }) { return json }
        var safe = ""
        for scalar in json.unicodeScalars {
            if scalar.isHarmlessOnTerminal || scalar == "\n" || scalar == "\t" {
                safe.unicodeScalars.append(scalar)
                continue
            }
            if scalar == "\r" {
                safe += " "
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
