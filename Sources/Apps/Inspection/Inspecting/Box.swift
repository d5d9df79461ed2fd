/// A box of an MP4 or QuickTime file.
///
/// - Source: ISO/IEC 14496-12, 4.2.
struct Box {
    let name: String
    /// Including the header.
    let whole: Range<Int>
    let content: Range<Int>

    /// - Returns: nil where no complete box begins.
    init?(at place: Int, in range: Range<Int>, of file: FileBytes) throws(Unsettled) {
        guard place + 8 <= range.upperBound, var length = try file.number(at: place, 4) else {
            return nil
        }
        var header = 8
        if length == 1 {
            // No file is so long that a length needs more than 7 bytes.
            guard try file.byte(at: place + 8) == 0,
                let long = try file.number(at: place + 9, 7)
            else { return nil }
            (length, header) = (long, 16)
        } else if length == 0 {
            length = range.upperBound - place
        }
        guard length >= header, length <= range.upperBound - place else { return nil }
        name = try file.name(at: place + 4)
        whole = place..<place + length
        content = place + header..<place + length
    }
}
