import Digests

/// One key that verifies signatures. It is bound to its algorithm, so no token header can make a
/// public key into a shared secret.
struct TokenKey: Sendable {
    private enum Check {
        case secret([UInt8])
        case publicKey(PublicKey)
    }

    let algorithm: TokenAlgorithm
    /// The name by which a token selects it (`kid`).
    let name: String?
    private let check: Check

    /// Minimum length of a secret in bytes: the length of the hash (RFC 7518, section 3.2).
    static let secretBytesMin = 32
    /// RFC 7518, section 3.3.
    static let modulusBitsMin = 2048
    /// Larger keys would make every check slow.
    static let modulusBitsMax = 8192

    init(secret text: String) {
        precondition(
            text.utf8.count >= Self.secretBytesMin, "BUG: \(text.utf8.count) bytes of secret")
        (algorithm, name, check) = (.hs256, nil, .secret(Array(text.utf8)))
    }

    /// - Parameters: the coordinates of a point of P-256, big-endian.
    init?(x: [UInt8], y: [UInt8], name: String?) {
        guard let key = PublicKey(x: x, y: y) else { return nil }
        (algorithm, self.name, check) = (.es256, name, .publicKey(key))
    }

    /// - Parameters: modulus and exponent, big-endian.
    init?(modulus: [UInt8], exponent: [UInt8], name: String?) {
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        guard bits >= Self.modulusBitsMin, bits <= Self.modulusBitsMax,
            let key = PublicKey(modulus: modulus, exponent: exponent)
        else { return nil }
        (algorithm, self.name, check) = (.rs256, name, .publicKey(key))
    }

    /// For a secret, compares in constant time.
    func hasSigned(_ text: ArraySlice<UInt8>, signature: [UInt8]) -> Bool {
        switch check {
        case .secret(let secret):
            SHA256.areEqual(SHA256.authenticate(text, key: secret), signature)
        case .publicKey(let key):
            key.hasSigned(text, signature: signature)
        }
    }
}

/// The accepted signature algorithms (RFC 7518, section 3.1). All others are refused, `none` above
/// all.
enum TokenAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case es256 = "ES256"
    case rs256 = "RS256"
}
