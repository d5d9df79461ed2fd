import Readings

/// The limits that the fast path checks.
struct FastLimits {
    /// Microseconds since 2000, inclusive.
    var earliest: Int64
    var latest: Int64
    let labelBytesMax: Int
    let valueTextBytesMax: Int
    let metadataBytesMax: Int
    let readingBytesMax: Int
    private let idBytesMax: Int
    /// The depth limit allows an object in a reading.
    let hasFlatMetadata: Bool

    init(_ limits: ReadingLimits, earliest: Int64, latest: Int64) {
        self.earliest = earliest
        self.latest = latest
        labelBytesMax = limits.labelBytesMax
        valueTextBytesMax = limits.valueTextBytesMax
        metadataBytesMax = limits.metadataBytesMax
        readingBytesMax = limits.readingBytesMax
        idBytesMax = limits.deviceIDCharactersMax
        hasFlatMetadata = limits.readingDepthMax >= 2
    }

    /// Whether a text in ASCII may be the id of a device or user.
    func isID(_ text: Range<Int>) -> Bool { (1...idBytesMax).contains(text.count) }
}
