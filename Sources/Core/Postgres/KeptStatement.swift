/// A statement that a session parses once and runs often.
///
/// Its name consists of its kind, for readers of `pg_prepared_statements`, and a hash of text and
/// types. So a name means the same in every session and every version of Sluice, and no statement
/// is mistaken for another even if a pooler mixes sessions up.
public struct KeptStatement: Sendable, Hashable {
    /// `sluice_KIND_HASH`, not longer than the 63 bytes at which the server cuts names.
    public let name: String
    let text: String
    let types: [OID]

    /// - Parameters:
    ///   - kind: a word; only its first 20 characters are used.
    ///   - text: must not be composed from values.
    ///   - types: of the parameters, in their order.
    public init(_ kind: String, _ text: String, types: [OID]) {
        let signature = types.map { "\($0.rawValue) " }.joined() + text
        name = "sluice_\(kind.prefix(20))_\(Migrator.checksum(Array(signature.utf8)).prefix(16))"
        self.text = text
        self.types = types
    }
}
