import Crypto
import CryptoExtras

/// One key that verifies signatures. It is bound to its algorithm, so no token header can make a
/// public key into a shared secret.
struct TokenKey: Sendable {
    private enum Check {
        case secret(SymmetricKey)
        case ellipticCurve(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
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

    init(secret: [UInt8]) {
        precondition(secret.count >= Self.secretBytesMin, "BUG: \(secret.count) bytes of secret")
        (algorithm, name, check) = (.hs256, nil, .secret(SymmetricKey(data: secret)))
    }

    /// - Parameters: the coordinates of a point of P-256, big-endian.
    init?(x: [UInt8], y: [UInt8], name: String?) {
        guard x.count == y.count,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        (algorithm, self.name, check) = (.es256, name, .ellipticCurve(key))
    }

    /// - Parameters: modulus and exponent, big-endian.
    init?(modulus: [UInt8], exponent: [UInt8], name: String?) {
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        guard bits >= Self.modulusBitsMin, bits <= Self.modulusBitsMax,
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
        else { return nil }
        (algorithm, self.name, check) = (.rs256, name, .rsa(key))
    }

    /// For a secret, compares in constant time.
    func hasSigned(_ text: ArraySlice<UInt8>, signature: [UInt8]) -> Bool {
        switch check {
        case .secret(let secret):
            return HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: text, using: secret)
        case .ellipticCurve(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: text)
        case .rsa(let key):
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: text, padding: .insecurePKCS1v1_5)
        }
    }
}
