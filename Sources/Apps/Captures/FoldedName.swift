import Foundation

/// The form in which names are compared, and by which contacts are stored.
public enum FoldedName {
    /// Equal for names that differ only in case, spacing or the encoding of accents.
    public static func key(of name: String) -> String {
        name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .precomposedStringWithCanonicalMapping.lowercased()
    }
}
