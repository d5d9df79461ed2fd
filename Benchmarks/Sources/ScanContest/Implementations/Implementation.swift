/// One way to read a corpus.
protocol Implementation: AnyObject {
    var name: String { get }
    /// Reads the corpus once and compares the result with the expected one.
    func check(_ corpus: Corpus) throws
    /// Reads the corpus once, as fast as possible.
    func pass(over corpus: Corpus)
}

/// Two implementations read a body differently, so the ratio is void.
package struct Disagreement: Error, CustomStringConvertible {
    let implementation: String
    let body: Int
    let what: String

    package var description: String { "\(implementation) disagrees in body \(body): \(what)" }
}
