import Encodings
import Readings
import TestSupport
import Testing

@testable import Auth

@Suite struct TokenVerifierTests {
    private static let now = TokenMaker.now
    private let now = Timestamp(unixSeconds: Int64(TokenMaker.now))

    private func verifier(
        document: String? = nil, secret: String? = TokenMaker.secret, issuer: String? = nil,
        audience: String? = nil
    ) async throws -> TokenVerifier {
        var keys: [TokenKey] = []
        if let secret { keys.append(TokenKey(secret: Array(secret.utf8))) }
        if let document { keys += try TestKeys.keys(document) }
        return TokenVerifier(
            keys: keys, issuer: issuer, audience: audience, leeway: .seconds(30))
    }

    private func outcome(_ verifier: TokenVerifier, _ token: String) -> Result<String, TokenFault> {
        do throws(TokenFault) {
            return .success(try verifier.verify(token, now: now).user)
        } catch {
            return .failure(error)
        }
    }

    @Test func `each accepted algorithm names the user`() async throws {
        let key = SigningKey()
        let verifier = try await verifier(
            document: TestKeys.document(
                TestKeys.entry(key, name: "curve"), TestKeys.rsaEntry(name: "modulus")))
        for maker in [
            .secret(), .ellipticCurve(key), TokenMaker.rsa(),
        ] {
            let token = maker.token(#""sub":"po-lin""#)
            #expect(outcome(verifier, token) == .success("po-lin"), "\(maker.name)")
        }
    }

    @Test func `a token without an expiry is rejected where one is required`() async throws {
        var verifier = try await verifier()
        let maker = TokenMaker.secret()
        let endless = maker.token(#""sub":"po-lin""#)
        let ending = maker.token(#""sub":"po-lin","exp":\#(Int64(Self.now) + 60)"#)
        #expect(outcome(verifier, endless) == .success("po-lin"))
        verifier.needsExpiry = true
        #expect(outcome(verifier, endless) == .failure(.expiryMissing))
        #expect(outcome(verifier, ending) == .success("po-lin"))
    }

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "", "HS384", "HS512", "RS384", "PS256", "EdDSA",
    ])
    func `every other algorithm is rejected, whoever signed`(name: String) async throws {
        let verifier = try await verifier(document: TestKeys.document(TestKeys.rsaEntry(name: nil)))
        var maker = TokenMaker.secret()
        maker.name = name
        let token = maker.token(#""sub":"po-lin""#)
        #expect(outcome(verifier, token) == .failure(.algorithmRefused))
        let unsigned = token.prefix(through: try #require(token.lastIndex(of: ".")))
        #expect(outcome(verifier, String(unsigned)) == .failure(.algorithmRefused))
    }

    @Test func `a signature of one algorithm is not accepted for another`() async throws {
        let verifier = try await verifier(document: TestKeys.document(TestKeys.rsaEntry(name: nil)))
        for maker in [
            TokenMaker.rsa(name: "RS512"), .rsa(name: "PS256", isPSS: true),
            .secret(),
        ] {
            var maker = maker
            maker.name = "RS256"
            #expect(outcome(verifier, maker.token(#""sub":"a""#)) == .failure(.signatureWrong))
        }
    }

    /// The oldest attack: a public key, used as the HMAC secret.
    @Test func `a public key is not a secret`() async throws {
        let publicKey = TestKeys.rsaKey
        let verifier = try await verifier(
            document: TestKeys.document(TestKeys.rsaEntry(name: "k")), secret: nil)
        let parts = publicKey.numbers
        for text in [
            publicKey.publicPEM, publicKey.publicPEM + "\n",
            Base64URL.encode(parts.modulus),
        ] {
            let maker = TokenMaker.secret(text)
            let token = maker.token(#""sub":"po-lin""#, header: #","kid":"k""#)
            #expect(outcome(verifier, token) == .failure(.keyUnknown))
        }
    }

    @Test func `a key is used for its own algorithm only`() async throws {
        let key = SigningKey()
        let verifier = try await verifier(
            document: TestKeys.document(TestKeys.entry(key, name: "k")), secret: nil)
        var maker = TokenMaker.ellipticCurve(key)
        #expect(outcome(verifier, maker.token(#""sub":"a""#)) == .success("a"))
        for name in ["HS256", "RS256"] {
            maker.name = name
            let token = maker.token(#""sub":"a""#, header: #","kid":"k""#)
            #expect(outcome(verifier, token) == .failure(.keyUnknown))
        }
    }

    @Test func `a token made with another secret is rejected`() async throws {
        let verifier = try await verifier()
        let maker = TokenMaker.secret("another secret of more than 32 bytes…")
        #expect(outcome(verifier, maker.token(#""sub":"a""#)) == .failure(.signatureWrong))
    }

    @Test(arguments: [
        (#""sub":"a","exp":\#(now + 1)"#, nil as TokenFault?),
        (#""sub":"a","exp":\#(now - 29)"#, nil),
        (#""sub":"a","exp":\#(now - 29).5"#, nil),
        (#""sub":"a","exp":\#(now - 30)"#, .expired),
        (#""sub":"a","exp":0"#, .expired),
        (#""sub":"a","exp":-1e300"#, .expired),
        (#""sub":"a","exp":1e300"#, nil),
        (#""sub":"a","exp":"\#(now + 1)""#, .malformed),
        (#""sub":"a","exp":true"#, .malformed),
        (#""sub":"a","exp":null"#, .malformed),
        (#""sub":"a","nbf":null"#, .malformed),
        (#""sub":"a","iat":null"#, .malformed),
        (#""sub":"a","iat":"\#(now)""#, .malformed),
        (#""sub":"a","nbf":\#(now + 30)"#, nil),
        (#""sub":"a","nbf":\#(now + 31)"#, .notYetValid),
        (#""sub":"a","nbf":[]"#, .malformed),
        (#""sub":"a","iat":\#(now + 9999)"#, nil),
        (#""name":"a""#, .subjectWrong),
        (#""sub":"""#, .subjectWrong),
        (#""sub":null"#, .subjectWrong),
        (#""sub":7"#, .malformed),
        (#""sub":["a"]"#, .malformed),
        (#""sub":"a\u0000b""#, .subjectWrong),
        (#""sub":"\#(String(repeating: "é", count: 128))""#, nil),
        (#""sub":"\#(String(repeating: "é", count: 129))""#, .subjectWrong),
        ("", .subjectWrong),
        (#""sub":"a""sub":"b""#, .malformed),
    ])
    func `claims are checked`(claims: String, fault: TokenFault?) async throws {
        let token = TokenMaker.secret().token(claims)
        let outcome = outcome(try await verifier(), token)
        if let fault {
            #expect(outcome == .failure(fault))
        } else {
            #expect(throws: Never.self) { try outcome.get() }
        }
    }

    @Test(arguments: [
        (#""iss":"me","aud":"sluice""#, nil as TokenFault?),
        (#""iss":"me","aud":["other","sluice"]"#, nil),
        (#""aud":"sluice""#, .issuerWrong),
        (#""iss":"Me","aud":"sluice""#, .issuerWrong),
        (#""iss":null,"aud":"sluice""#, .issuerWrong),
        (#""iss":["me"],"aud":"sluice""#, .malformed),
        (#""iss":"me""#, .audienceWrong),
        (#""iss":"me","aud":[]"#, .audienceWrong),
        (#""iss":"me","aud":null"#, .audienceWrong),
        (#""iss":"me","aud":"sluice2""#, .audienceWrong),
        (#""iss":"me","aud":["other"]"#, .audienceWrong),
        (#""iss":"me","aud":7"#, .malformed),
    ])
    func `issuer and audience must match where they are required`(
        claims: String, fault: TokenFault?
    ) async throws {
        let token = TokenMaker.secret().token(#""sub":"a","# + claims)
        let verifier = try await verifier(issuer: "me", audience: "sluice")
        #expect(outcome(verifier, token) == (fault.map { .failure($0) } ?? .success("a")))
    }

    @Test func `a change anywhere in a token makes it invalid`() async throws {
        let verifier = try await verifier()
        let token = Array(TokenMaker.secret().token(#""sub":"po-lin""#).utf8)
        #expect(outcome(verifier, String(decoding: token, as: UTF8.self)) == .success("po-lin"))
        for place in token.indices {
            var changed = token
            changed[place] =
                changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: TokenFault.self, "byte \(place)") { try outcome(verifier, text).get() }
        }
        for length in 0..<token.count {
            let text = String(decoding: token.prefix(length), as: UTF8.self)
            #expect(throws: TokenFault.self) { try outcome(verifier, text).get() }
        }
    }

    @Test func `a token has only one spelling`() async throws {
        let verifier = try await verifier()
        let token = TokenMaker.secret().token(#""sub":"po-lin""#)
        for wrong in [token + "=", " " + token, token + "\n", token + "\u{0}", token + "A"] {
            #expect(throws: TokenFault.self, "\(wrong)") { try outcome(verifier, wrong).get() }
        }
        // 43 letters hold 258 bits, two more than the signature has; these two must be zero.
        let last = try #require(token.last)
        let next = UnicodeScalar(try #require(last.asciiValue) + 1)
        #expect(outcome(verifier, token.dropLast() + String(next)) == .failure(.malformed))
    }

    @Test(arguments: ["", ".", "..", "...", "a.b", "a.b.c.d", "e30.e30.", "bm90IGpzb24.e30.AAAA"])
    func `a text that is no token is rejected`(text: String) async throws {
        #expect(outcome(try await verifier(), text) == .failure(.malformed))
    }

    @Test func `an overlong token is not parsed`() async throws {
        let claims = #""sub":"a","pad":"\#(String(repeating: "x", count: 7000))""#
        let token = TokenMaker.secret().token(claims)
        #expect(outcome(try await verifier(), token) == .failure(.tooLong))
    }

    @Test func `an extension that must be understood is rejected`() async throws {
        let maker = TokenMaker.secret()
        for header in [#","crit":["b64"],"b64":false"#, #","crit":[]"#, #","crit":null"#] {
            let token = maker.token(#""sub":"a""#, header: header)
            #expect(outcome(try await verifier(), token) == .failure(.criticalExtension))
        }
    }

    @Test func `a key inside the token's header is not used`() async throws {
        let key = SigningKey()
        let maker = TokenMaker.ellipticCurve(key)
        let entry = TestKeys.entry(key, name: nil)
        let token = maker.token(#""sub":"a""#, header: #","jwk":\#(entry)"#)
        #expect(outcome(try await verifier(), token) == .failure(.keyUnknown))
    }

    @Test func `keys are chosen by name; without names each is tried`() async throws {
        let (one, two) = (SigningKey(), SigningKey())
        let maker = TokenMaker.ellipticCurve(two)
        func check(_ document: String, _ header: String, _ expected: Result<String, TokenFault>)
            async throws
        {
            let verifier = try await verifier(document: document)
            let token = maker.token(#""sub":"a""#, header: header)
            #expect(outcome(verifier, token) == expected, "\(header)")
        }
        let named = TestKeys.document(
            TestKeys.entry(one, name: "one"), TestKeys.entry(two, name: "two"))
        try await check(named, "", .success("a"))
        try await check(named, #","kid":"two""#, .success("a"))
        try await check(named, #","kid":"one""#, .failure(.signatureWrong))
        try await check(named, #","kid":"three""#, .failure(.keyUnknown))
        let unnamed = TestKeys.document(
            TestKeys.entry(one, name: "one"), TestKeys.entry(two, name: nil))
        try await check(unnamed, #","kid":"two""#, .success("a"))
        try await check(unnamed, #","kid":"one""#, .failure(.signatureWrong))
        try await check(unnamed, #","kid":7"#, .failure(.malformed))
    }

    /// RFC 7515, appendix A.3: a key and a signature that were made elsewhere.
    @Test func `the RFC's own example has a valid signature, but is expired and without a subject`()
        async throws
    {
        let verifier = try await verifier(
            document: """
                {"keys":[{"kty":"EC","crv":"P-256",
                "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                """)
        let token = """
            eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
            cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5dj\
            xLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
            """
        #expect(outcome(verifier, token) == .failure(.expired))
        #expect(throws: TokenFault.subjectWrong) {
            try verifier.verify(token, now: Timestamp(unixSeconds: 1_300_819_379)).user
        }
    }
}
