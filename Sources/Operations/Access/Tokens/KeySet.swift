import Encodings
import FoundationEssentials

/// The public keys of a JWKS document (RFC 7517, section 5).
///
/// Keys of other types, for other uses or with invalid members are skipped, as the RFC requires: a
/// provider may add a new type at any time. Private parts are not read.
struct KeySet: Sendable {
    let keys: [TokenKey]

    /// More keys than any provider publishes; further keys are ignored.
    static let keysMax = 64

    private struct Document: Decodable {
        let keys: [Lenient]
    }

    /// A key; nil if its members have the wrong types.
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

    /// - Returns: nil if the text is not a JWKS document.
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

/// A JWKS document in a file.
struct KeySetFile: Sendable {
    /// The attributes that change when a file is written or replaced.
    struct Mark: Equatable, Sendable {
        let modified: Date?
        let bytes: UInt64?
        let inode: UInt64?
    }

    let path: String

    /// Maximum size of the file: a hundred times what the largest providers publish.
    static let bytesMax = 1 << 20

    /// nil: the file does not exist or its attributes can't be read.
    func mark() -> Mark? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else {
            return nil
        }
        return Mark(
            modified: attributes[.modificationDate] as? Date,
            bytes: Self.number(attributes[.size]),
            inode: Self.number(attributes[.systemFileNumber]))
    }

    /// The target of a symbolic link. It is what changes when secrets are mounted that way.
    private var resolved: String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    private static func number(_ value: Any?) -> UInt64? {
        if let number = value as? UInt64 { return number }
        return (value as? Int).map(UInt64.init)
    }

    /// - Throws: why the file can't be used; the error never contains any of its contents.
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
