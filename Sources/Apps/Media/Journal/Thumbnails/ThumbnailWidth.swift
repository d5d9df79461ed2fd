import Inspections
import NIOCore
import Postgres

/// The width of a thumbnail in pixels: one of ``made``.
public struct ThumbnailWidth: Sendable, Hashable {
    /// The widths that a client may ask for.
    public static let range = 16...2048
    /// The widths that are made, smallest first. A request for another width gets the next larger
    /// one, so a file has at most six thumbnails.
    public static let made = [64, 128, 256, 512, 1024, 2048]

    let pixels: Int

    /// - Parameter text: decimal digits, as received in a query.
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
