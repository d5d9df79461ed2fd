/// What is to be said about a file besides its readings.
public struct ImportRest: Equatable, Sendable {
    /// Parts that were not imported, although nothing is wrong with them, and how many.
    public internal(set) var leftOut: [LeftOut: Int]
    /// A limited number.
    public internal(set) var notes: [ImportNote]

    /// Nothing, unless it is given.
    public init(leftOut: [LeftOut: Int] = [:], notes: [ImportNote] = []) {
        self.leftOut = leftOut
        self.notes = notes
    }

    /// How many notes are kept of a zip. A limit, because each of its files may cause one.
    private static let notesMax = 100

    /// Adds that of another file in the same zip.
    mutating func add(_ other: ImportRest) {
        leftOut.merge(other.leftOut) { $0 + $1 }
        notes += other.notes.prefix(max(0, Self.notesMax - notes.count))
    }
}
