import JWTKit

/// One key that signatures are checked with. It is bound to its algorithm: what a token says about
/// itself can't make a public key into a shared secret.
struct TokenKey: Sendable {
    let algorithm: TokenAlgorithm
    /// The name that a token may ask for it by (`kid`).
    let name: String?
    private let checker: any JWTAlgorithm

    /// Bytes of a secret: as many as the hash has at least (RFC 7518, section 3.2).
    static let secretBytesMin = 32
    /// RFC 7518, section 3.3.
    static let modulusBitsMin = 2048
    /// Larger ones make every check slow, which whoever writes the file would not do for fun.
    static let modulusBitsMax = 8192

    private init(_ algorithm: TokenAlgorithm, _ name: String?, _ keys: JWTKeyCollection)
        async throws
    {
        self.algorithm = algorithm
        self.name = name
        checker = try await keys.getKey()
    }

    static func secret(_ text: String) async throws -> TokenKey {
        precondition(text.utf8.count >= secretBytesMin, "BUG: \(text.utf8.count) bytes of secret")
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: text), digestAlgorithm: .sha256)
        return try await TokenKey(.hs256, nil, keys)
    }

    /// - Parameters: the coordinates of a point of P-256, in base64url.
    static func ellipticCurve(x: String, y: String, name: String?) async throws -> TokenKey {
        let key = try ES256PublicKey(parameters: (x, y))
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key)
        return try await TokenKey(.es256, name, keys)
    }

    /// - Parameters: modulus and exponent, big-endian, in base64url.
    static func rsa(modulus: String, exponent: String, name: String?) async throws -> TokenKey {
        let key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
        let keys = JWTKeyCollection()
        await keys.add(rsa: key, digestAlgorithm: .sha256)
        return try await TokenKey(.rs256, name, keys)
    }

    /// Compares in constant time where there is a secret.
    func hasSigned(_ text: ArraySlice<UInt8>, signature: [UInt8]) -> Bool {
        (try? checker.verify(signature, signs: text)) == true
    }
}
