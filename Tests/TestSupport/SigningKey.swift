import COpenSSL
import Crypto
import Encodings
import Foundation

/// A private key that signs tokens, for tests that act as the provider.
public final class SigningKey: @unchecked Sendable {
    // `@unchecked` is safe: never changed after `init`.
    private let key: OpaquePointer

    /// A fresh key on P-256.
    public init() {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        precondition(
            EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
                && EVP_PKEY_keygen(context, &key) == 1)
        self.key = key!
    }

    /// An RSA key as OpenSSL writes it.
    public init(pem: String) {
        let bytes = Array(pem.utf8)
        let source = BIO_new_mem_buf(bytes, Int32(bytes.count))
        defer { BIO_free(source) }
        key = PEM_read_bio_PrivateKey(source, nil, nil, nil)!
    }

    deinit { EVP_PKEY_free(key) }

    /// The public half as SubjectPublicKeyInfo.
    private var information: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &bytes)
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The public half in PEM.
    public var publicPEM: String {
        let text = Data(information).base64EncodedString(options: .lineLength64Characters)
            .replacing("\r\n", with: "\n")
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----"
    }

    /// The point of a key on P-256.
    public var point: (x: [UInt8], y: [UInt8]) {
        let bytes = information.suffix(64)
        return (Array(bytes.prefix(32)), Array(bytes.suffix(32)))
    }

    /// Modulus and exponent of an RSA key.
    public var numbers: (modulus: [UInt8], exponent: [UInt8]) { (number("n"), number("e")) }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        precondition(EVP_PKEY_get_bn_param(key, name, &number) == 1)
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// - Parameters:
    ///   - isLong: use SHA-512 instead of SHA-256.
    ///   - isPSS: use PSS padding.
    /// - Returns: the signature; for a key on P-256, its two numbers one after the other.
    public func sign(_ text: [UInt8], isLong: Bool = false, isPSS: Bool = false) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var padding: OpaquePointer?
        var count = 0
        precondition(
            EVP_DigestSignInit(context, &padding, isLong ? EVP_sha512() : EVP_sha256(), nil, key)
                == 1)
        if isPSS { precondition(EVP_PKEY_CTX_set_rsa_padding(padding, 6) == 1) }
        precondition(EVP_DigestSign(context, nil, &count, text, text.count) == 1)
        var signature = [UInt8](repeating: 0, count: count)
        precondition(EVP_DigestSign(context, &signature, &count, text, text.count) == 1)
        signature.removeLast(signature.count - count)
        return EVP_PKEY_is_a(key, "EC") == 1 ? Self.halves(signature) : signature
    }

    /// The two numbers in DER's sequence of integers.
    private static func halves(_ der: [UInt8]) -> [UInt8] {
        var place = 2
        var halves: [UInt8] = []
        for _ in 0..<2 {
            let digits = der[(place + 2)..<(place + 2 + Int(der[place + 1]))].drop { $0 == 0 }
            halves += [UInt8](repeating: 0, count: 32 - digits.count) + digits
            place += 2 + Int(der[place + 1])
        }
        return halves
    }
}

/// Tokens of users, signed with a server's secret.
public enum UserToken {
    /// The header field with a token.
    public static func bearer(_ user: String, secret: String) -> String {
        let text =
            Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + "."
            + Base64URL.encode(#"{"sub":"\#(user)"}"#.utf8)
        let signature = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(text.utf8), using: SymmetricKey(data: Array(secret.utf8))))
        return "Authorization: Bearer \(text).\(Base64URL.encode(signature))"
    }
}
