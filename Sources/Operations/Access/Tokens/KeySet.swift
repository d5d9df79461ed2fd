import Encodings
import FoundationEssentials

/// The public keys of a JWKS document (RFC 7517, section 5).
///
/// Keys of other kinds, for other uses or that make no sense are left out, as the RFC wants it: a
/// provider may add a kind tomorrow. Private parts are not looked at.
struct KeySet: Sendable {
    let keys: [TokenKey]

    /// More than any provider has; the rest is left out.
    static let keysMax = 64

    private struct Document: Decodable {
        let keys: [Lenient]
    }

    /// A key, or nothing where its members have types that they can't have.
    private struct Lenient: Decodable {
        let key: Key?

        init(from decoder: any Decoder) throws {
            key = try? Key(from: decoder)
        }
    }

    private struct Key: Decodable {
        let kty: String
        let kid: String?
        let use: String?
        let alg: String?
        let crv: String?
        let x: String?
        let y: String?
        let n: String?
        let e: String?
    }

    /// - Returns: nil when that is no JWKS document at all.
    init?(json: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json)) else {
            return nil
        }
        var keys: [TokenKey] = []
        for entry in document.keys.prefix(Self.keysMax) {
            guard let described = entry.key, let key = Self.key(described) else { continue }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func key(_ key: Key) -> TokenKey? {
        guard key.use == nil || key.use == "sig" else { return nil }
        switch key.kty {
        case "EC":
            guard key.crv == "P-256", key.alg == nil || key.alg == "ES256",
                let x = number(key.x), let y = number(key.y)
            else { return nil }
            return TokenKey(x: x, y: y, name: key.kid)
        case "RSA":
            guard key.alg == nil || key.alg == "RS256", let modulus = number(key.n),
                let exponent = number(key.e)
            else { return nil }
            return TokenKey(modulus: modulus, exponent: exponent, name: key.kid)
        default:
            return nil
        }
    }

    private static func number(_ text: String?) -> [UInt8]? {
        text.flatMap { Base64URL.decode($0.utf8) }
    }
}

/// A JWKS document in a file, and when it last looked different.
struct KeySetFile: Sendable {
    /// What changes when a file is written or replaced.
    struct Mark: Equatable, Sendable {
        let modified: Date?
        let bytes: UInt64?
        let inode: UInt64?
    }

    let path: String

    /// A hundred times what the largest providers publish.
    static let bytesMax = 1 << 20

    /// nil: not there, or not to be looked at.
    func mark() -> Mark? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            return nil
        }
        return Mark(
            modified: attributes[.modificationDate] as? Date,
            bytes: Self.number(attributes[.size]),
            inode: Self.number(attributes[.systemFileNumber]))
    }

    /// The file behind a symbolic link, which is what changes when secrets are mounted that way.
    private var resolved: String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    private static func number(_ value: Any?) -> UInt64? {
        if let number = value as? UInt64 { return number }
        return (value as? Int).map(UInt64.init)
    }

    /// - Throws: why it can't be used; never with anything of its contents.
    func read() async throws(AccessFault) -> KeySet {
        guard let mark = mark(), let bytes = mark.bytes, bytes <= Self.bytesMax,
            let contents = FileManager.default.contents(atPath: path)
        else {
            throw .keysUnreadable(path: path)
        }
        guard let set = KeySet(json: [UInt8](contents)) else {
            throw .keysMalformed(path: path)
        }
        guard !set.keys.isEmpty else { throw .noUsableKey(path: path) }
        return set
    }
}
