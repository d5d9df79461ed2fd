import Inspections

/// The name of a file in lists and downloads. Nothing is ever stored under it.
enum FileName {
    /// The most UTF-8 bytes, as in file systems.
    static let bytesMax = 255

    /// The last component of the client's name, without invisible characters (controls, marks that
    /// change the text direction) and without leading dots, cut to ``bytesMax`` before its
    /// extension. If the extension is not of a known file type, the right one is added, so that a
    /// download can't act as another type.
    static func cleaned(_ name: String?, type: MediaType?) -> String {
        // Scalars: as a character, a slash with a combining mark is no longer a slash.
        let parts = name?.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" })
        var scalars = Array((parts?.last ?? Substring.UnicodeScalarView()).filter(isVisible))
        while let first = scalars.first, isTrimmed(first) || first == "." { scalars.removeFirst() }
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
        let text = String(String.UnicodeScalarView(scalars))
        var (stem, ending) = split(text.isEmpty ? "file" : text)
        let known = ending.dropFirst().lowercased()
        if let type, MediaType(fileExtension: known) == nil {
            stem += ending
            ending = "." + type.fileExtension
        }
        return cut(stem, bytesMax - ending.utf8.count) + ending
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            // The zero-width joiner makes one emoji of several.
            scalar == "\u{200D}"
        default: true
        }
    }

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    /// Splits off the extension with its dot; a very long one counts as part of the stem.
    private static func split(_ text: String) -> (stem: String, ending: String) {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return (text, "") }
        let ending = text[dot...]
        guard (2...16).contains(ending.utf8.count) else { return (text, "") }
        return (String(text[..<dot]), String(ending))
    }

    /// As many whole characters as fit into so many bytes.
    private static func cut(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        // Not even the first character fits.
        return kept.isEmpty ? "file" : kept
    }
}
