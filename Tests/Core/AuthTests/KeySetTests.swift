import Encodings
import TestSupport
import Testing

@testable import Auth

@Suite struct KeySetTests {
    private let key = SigningKey()

    @Test func `unusable keys are ignored`() async throws {
        let kept = TestKeys.entry(key, name: "kept")
        let document = TestKeys.document(
            kept,
            TestKeys.entry(key, name: "2", more: #","use":"sig","alg":"ES256""#),
            TestKeys.rsaEntry(name: "3", more: #","key_ops":["verify"],"x5c":["…"]"#),
            TestKeys.entry(key, name: "encrypts", more: #","use":"enc""#),
            TestKeys.entry(key, name: "other", more: #","alg":"ES384""#),
            TestKeys.rsaEntry(name: "padded", more: #","alg":"PS256""#),
            kept.replacing("P-256", with: "P-384"),
            kept.replacing("\"EC\"", with: "\"XX\""),
            kept.replacing("\"x\"", with: "\"z\""),
            #"{"kty":"oct","k":"c2VjcmV0","kid":"secret"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#,
            #"{"kty":7}"#, "{}", "null", "[]", "5")
        #expect(try TestKeys.keys(document).map(\.name) == ["kept", "2", "3"])
    }

    @Test func `a point that is not on the curve is rejected`() async throws {
        let zero = String(repeating: "A", count: 43)
        let document = TestKeys.document(
            #"{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}"#)
        #expect(try TestKeys.keys(document).isEmpty)
    }

    @Test func `weak and oversized moduli are ignored`() async throws {
        for bytes in [128, 255, 1025] {
            let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: bytes))
            let document = TestKeys.document(#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#)
            #expect(try TestKeys.keys(document).isEmpty, "\(bytes)")
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"keys\":{}}", "{\"keys\":[}", "-----BEGIN PUBLIC KEY-----",
    ])
    func `other documents are no key set`(text: String) async {
        #expect(KeySet(json: Array(text.utf8)) == nil)
    }

    @Test func `no more keys are read than any provider has`() async throws {
        let entry = TestKeys.entry(key, name: nil)
        let entries = Array(repeating: entry, count: 100).joined(separator: ",")
        #expect(try TestKeys.keys(TestKeys.document(entries)).count == KeySet.keysMax)
    }
}
