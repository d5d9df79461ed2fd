/// The boxes of a range, up to the first that is incomplete.
struct Boxes {
    let file: FileBytes
    let range: Range<Int>
    /// Where the next box begins.
    private(set) var place: Int

    init(_ range: Range<Int>, of file: FileBytes) {
        self.file = file
        self.range = range
        place = range.lowerBound
    }

    mutating func next() throws(Unsettled) -> Box? {
        guard let box = try Box(at: place, in: range, of: file) else { return nil }
        place = box.whole.upperBound
        return box
    }
}
