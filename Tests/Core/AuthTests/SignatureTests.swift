import Encodings
import TestSupport
import Testing

@testable import Auth

/// The examples of RFC 7515, appendix A, and signatures with changed bytes.
@Suite struct SignatureTests {
    private static let payload = """
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
        """

    private func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text.utf8))
    }

    @Test func `HMAC as in appendix A.1`() throws {
        let key = TokenKey(
            secret: try bytes(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
            ))
        let text = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload)"
        expectOnly(
            try bytes("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), of: Array(text.utf8), by: key)
    }

    @Test func `ECDSA as in appendix A.3, and no other bytes`() throws {
        let key = try #require(
            TokenKey(
                x: try bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                y: try bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"), name: nil))
        let text = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)".utf8)
        let signature = try bytes(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        )
        expectOnly(signature, of: text, by: key)
        let zeros = [UInt8](repeating: 0, count: 64)
        #expect(!key.hasSigned(text[...], signature: zeros))
    }

    @Test func `RSA, and no other bytes`() throws {
        let numbers = TestKeys.rsaKey.numbers
        let key = try #require(
            TokenKey(modulus: numbers.modulus, exponent: numbers.exponent, name: nil))
        let text = Array("a text".utf8)
        expectOnly(TestKeys.rsaKey.sign(text), of: text, by: key)
    }

    private func expectOnly(_ signature: [UInt8], of text: [UInt8], by key: TokenKey) {
        #expect(key.hasSigned(text[...], signature: signature))
        #expect(!key.hasSigned((text + [0])[...], signature: signature))
        for length in [0, 1, signature.count - 1] {
            #expect(!key.hasSigned(text[...], signature: Array(signature.prefix(length))))
        }
        #expect(!key.hasSigned(text[...], signature: signature + [0]))
        #expect(!key.hasSigned(text[...], signature: [0] + signature))
        for place in signature.indices {
            var changed = signature
            changed[place] ^= 1 << (place % 8)
            #expect(!key.hasSigned(text[...], signature: changed), "byte \(place)")
        }
    }

    @Test func `a point off the curve and an exponent that lets anybody sign are rejected`() throws
    {
        let point = SigningKey().point
        for place in 0..<32 {
            var x = point.x
            x[place] ^= 1
            let isPoint = TokenKey(x: x, y: point.y, name: nil) != nil
            #expect(!isPoint, "byte \(place)")
        }
        #expect(TokenKey(x: [UInt8](repeating: 0, count: 32), y: point.y, name: nil) == nil)
        #expect(TokenKey(x: Array(point.x.dropLast()), y: point.y, name: nil) == nil)
        let modulus = TestKeys.rsaKey.numbers.modulus
        for exponent: [UInt8] in [
            [], [0], [1], [0, 0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1],
        ] {
            #expect(TokenKey(modulus: modulus, exponent: exponent, name: nil) == nil, "\(exponent)")
        }
    }
}
