private import COpenSSL

/// A public key that verifies signatures: ECDSA on P-256 or RSA (PKCS #1 v1.5), both with SHA-256.
///
/// Made from the numbers in a JWKS document. OpenSSL checks that a point is on its curve.
///
/// - Source: RFC 5480 and RFC 8017 for the keys' forms; RFC 7518, sections 3.3 and 3.4.
public final class PublicKey: @unchecked Sendable {
    // `@unchecked`: the key never changes after `init`, and each check has its own context.
    private let key: OpaquePointer
    private let isEllipticCurve: Bool

    /// Bytes of a coordinate of P-256, and of each half of a signature.
    public static let coordinateBytes = 32

    /// - Parameters: the coordinates of a point of P-256, big-endian.
    /// - Returns: nil when they are not a point on the curve.
    public init?(x: [UInt8], y: [UInt8]) {
        guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes else { return nil }
        let algorithm = DER.sequence(
            // id-ecPublicKey, prime256v1
            DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
                + DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))
        guard let key = Self.read(DER.sequence(algorithm + DER.bits([4] + x + y))) else {
            return nil
        }
        self.key = key
        isEllipticCurve = true
    }

    /// - Parameters: modulus and exponent, big-endian.
    /// - Returns: nil for an unsafe exponent (even, or 1), and for one of more than eight bytes.
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        let digits = exponent.drop { $0 == 0 }
        guard let last = digits.last, last & 1 == 1, digits.count <= 8, Array(digits) != [1] else {
            return nil
        }
        let algorithm = DER.sequence(
            // rsaEncryption, without parameters
            DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]) + [5, 0])
        let numbers = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
        guard let key = Self.read(DER.sequence(algorithm + DER.bits(numbers))) else { return nil }
        self.key = key
        isEllipticCurve = false
    }

    deinit { EVP_PKEY_free(key) }

    private static func read(_ information: [UInt8]) -> OpaquePointer? {
        defer { ERR_clear_error() }
        return information.withUnsafeBufferPointer { bytes in
            var place = bytes.baseAddress
            return d2i_PUBKEY(nil, &place, bytes.count)
        }
    }

    /// - Parameter signature: for ECDSA the numbers r and s, one after the other, 64 bytes.
    public func hasSigned(_ text: some Sequence<UInt8>, signature: [UInt8]) -> Bool {
        var signature = signature
        if isEllipticCurve {
            guard signature.count == 2 * Self.coordinateBytes else { return false }
            signature = DER.sequence(
                DER.integer(Array(signature[..<Self.coordinateBytes]))
                    + DER.integer(Array(signature[Self.coordinateBytes...])))
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let text = Array(text)
        return EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }
}
