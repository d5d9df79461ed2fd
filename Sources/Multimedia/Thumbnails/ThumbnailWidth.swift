/// How wide a thumbnail is to be, in pixels.
public struct ThumbnailWidth: Sendable, Hashable {
    /// What may be asked for.
    public static let range = 16...2048

    let pixels: Int

    /// - Parameter text: decimal digits, as they came in a query.
    /// - Returns: nil for anything that is not in ``range``.
    public init?(_ text: String) {
        guard (1...4).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) }), let pixels = Int(text),
            Self.range.contains(pixels)
        else { return nil }
        self.pixels = pixels
    }
}
