/// How wide a thumbnail is, in pixels: one of ``made``.
public struct ThumbnailWidth: Sendable, Hashable {
    /// What may be asked for.
    public static let range = 16...2048
    /// What there is, the smallest first. Asked for another width, one gets the next larger of these:
    /// a file has six thumbnails at most, whatever is asked for.
    public static let made = [64, 128, 256, 512, 1024, 2048]

    let pixels: Int

    /// - Parameter text: decimal digits, as they came in a query.
    /// - Returns: nil for anything that is not in ``range``.
    public init?(_ text: String) {
        guard (1...4).contains(text.utf8.count),
            text.utf8.allSatisfy({ (48...57).contains($0) }), let wanted = Int(text),
            Self.range.contains(wanted),
            let pixels = Self.made.first(where: { $0 >= wanted })
        else { return nil }
        self.pixels = pixels
    }
}
