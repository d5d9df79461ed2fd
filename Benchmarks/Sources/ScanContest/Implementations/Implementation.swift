/// One way to read a corpus.
protocol Implementation: AnyObject {
    var name: String { get }
    /// Reads it once and compares everything with what the corpus must give.
    func check(_ corpus: Corpus) throws
    /// Reads it once, as fast as it can.
    func pass(over corpus: Corpus)
}

/// The ratio is void: two implementations read a body differently.
package struct Disagreement: Error, CustomStringConvertible {
    let implementation: String
    let body: Int
    let what: String

    package var description: String { "\(implementation) disagrees in body \(body): \(what)" }
}
