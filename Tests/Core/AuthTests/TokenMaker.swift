import Crypto
import Encodings
import Foundation
import TestSupport

@testable import Auth

/// Makes valid and invalid tokens from texts.
struct TokenMaker {
    static let secret = "a secret of more than thirty-two bytes"
    /// The time of the tests' clock, 2026-01-23T14:30:00Z.
    static let now = 1_769_178_600

    private let sign: @Sendable ([UInt8]) -> [UInt8]
    /// The header's `alg`.
    var name: String

    static func secret(_ text: String = secret, name: String = "HS256") -> TokenMaker {
        TokenMaker(
            sign: { signed in
                Array(
                    HMAC<SHA256>.authenticationCode(
                        for: signed, using: SymmetricKey(data: Array(text.utf8))))
            }, name: name)
    }

    static func ellipticCurve(_ key: SigningKey) -> TokenMaker {
        TokenMaker(sign: { key.sign($0) }, name: "ES256")
    }

    static func rsa(name: String = "RS256", isPSS: Bool = false) -> TokenMaker {
        TokenMaker(
            sign: { TestKeys.rsaKey.sign($0, isLong: name == "RS512", isPSS: isPSS) }, name: name)
    }

    /// A signed token.
    ///
    /// - Parameters:
    ///   - claims: members of the payload's object.
    ///   - header: more members of the header's object, each with a comma before it.
    func token(_ claims: String, header: String = "") -> String {
        token(header: #"{"alg":"\#(name)"\#(header)}"#, payload: "{\(claims)}")
    }

    func token(header: String, payload: String) -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        return text + "." + Base64URL.encode(sign(Array(text.utf8)))
    }
}
