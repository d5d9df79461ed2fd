import Foundation
import JWTKit

@testable import Access

/// Makes tokens, right and wrong ones, from texts.
struct TokenMaker {
    static let secret = "a secret of more than thirty-two bytes"
    /// Of the tests' clock, 2026-01-23T14:30:00Z.
    static let now = 1_769_178_600

    private let signer: any JWTAlgorithm
    /// What the header says about the signature.
    var name: String

    static func secret(_ text: String = secret, name: String = "HS256") async throws -> TokenMaker {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: text), digestAlgorithm: .sha256)
        return TokenMaker(signer: try await keys.getKey(), name: name)
    }

    static func ellipticCurve(_ key: ES256PrivateKey) async throws -> TokenMaker {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key)
        return TokenMaker(signer: try await keys.getKey(), name: "ES256")
    }

    static func rsa(name: String = "RS256", isPSS: Bool = false) async throws -> TokenMaker {
        let key = try Insecure.RSA.PrivateKey(pem: TestKeys.rsa)
        let keys = JWTKeyCollection()
        if isPSS {
            await keys.add(pss: key, digestAlgorithm: .sha256)
        } else {
            let digest: DigestAlgorithm = name == "RS512" ? .sha512 : .sha256
            await keys.add(rsa: key, digestAlgorithm: digest)
        }
        return TokenMaker(signer: try await keys.getKey(), name: name)
    }

    /// A signed token.
    ///
    /// - Parameters:
    ///   - claims: members of the payload's object.
    ///   - header: more members of the header's object, each with a comma before it.
    func token(_ claims: String, header: String = "") throws -> String {
        try token(header: #"{"alg":"\#(name)"\#(header)}"#, payload: "{\(claims)}")
    }

    func token(header: String, payload: String) throws -> String {
        let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        return text + "." + Base64URL.encode(try signer.sign(Data(text.utf8)))
    }
}
