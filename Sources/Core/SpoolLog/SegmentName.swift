/// The names of a spool's files. The name alone says what a file is.
///
/// The number is that of the segment that the file is or last was. No file holds records of a
/// segment with a higher number than its name has.
enum SegmentName: Hashable, Sendable {
    /// `0000000000000007.lz4`
    case segment(UInt64)
    /// `spare-0000000000000007.lz4`: without records to replay.
    case spare(UInt64)
    /// `bad-0000000000000007.lz4`: for inspection.
    case setAside(UInt64)

    private static let suffix = ".lz4"
    private static let sparePrefix = "spare-"
    private static let setAsidePrefix = "bad-"
    private static let digits = 16

    /// Returns nil for the names of other files, which are left alone.
    init?(_ text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let stem = text.dropLast(Self.suffix.count)
        let digits = stem.suffix(Self.digits)
        guard digits.utf8.count == Self.digits, digits.utf8.allSatisfy({ 48...57 ~= $0 }),
            let number = UInt64(digits)
        else { return nil }
        switch stem.dropLast(Self.digits) {
        case "": self = .segment(number)
        case Self.sparePrefix: self = .spare(number)
        case Self.setAsidePrefix: self = .setAside(number)
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .segment(let number): Self.padded(number) + Self.suffix
        case .spare(let number): Self.sparePrefix + Self.padded(number) + Self.suffix
        case .setAside(let number): Self.setAsidePrefix + Self.padded(number) + Self.suffix
        }
    }

    var number: UInt64 {
        switch self {
        case .segment(let number), .spare(let number), .setAside(let number): number
        }
    }

    private static func padded(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
