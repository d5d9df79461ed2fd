import Encodings
import FoundationEssentials

/// The first part of a token, with the members that are used. Keys that it carries (`jwk`, `jku`,
/// `x5c`…) are ignored.
struct TokenHeader: Decodable {
    let alg: String
    let kid: String?
    let hasCriticalExtension: Bool

    private enum Key: CodingKey {
        case alg, kid, crit
    }

    init(from decoder: any Decoder) throws {
        let header = try decoder.container(keyedBy: Key.self)
        alg = try header.decode(String.self, forKey: .alg)
        kid = try header.decodeIfPresent(String.self, forKey: .kid)
        hasCriticalExtension = header.contains(.crit)
    }
}
