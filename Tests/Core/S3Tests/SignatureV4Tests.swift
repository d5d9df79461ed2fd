import Crypto
import Encodings
@testable import S3
import Testing

/// The examples of "Signature Calculations for the Authorization Header", Amazon S3 API reference.
struct SignatureV4Tests {
    let signature = SignatureV4(
        credentials: S3Credentials(
            accessKeyID: "AKIAIOSFODNN7EXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        region: "us-east-1")
    let time = SigningTime(seconds: 1_369_353_600)

    static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private func signed(
        _ method: String, _ path: String, _ query: [(String, String)],
        _ headers: [(String, String)], _ digest: String
    ) -> Substring {
        let all =
            headers + [
                ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", digest),
                ("x-amz-date", time.text),
            ]
        let text = signature.authorization(
            method: method, path: path, query: query, headers: all, payloadDigest: digest,
            time: time)
        return text.suffix(64)
    }

    @Test func `getting a range`() {
        #expect(
            signed("GET", "/test.txt", [], [("range", "bytes=0-9")], Self.empty)
                == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `putting an object`() {
        let digest = Hexadecimal.text(SHA256.hash(data: Array("Welcome to Amazon S3.".utf8)))
        let headers = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ]
        #expect(
            signed("PUT", "/test%24file.text", [], headers, digest)
                == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `a parameter without a value`() {
        #expect(
            signed("GET", "/", [("lifecycle", "")], [], Self.empty)
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test func `listing objects`() {
        #expect(
            signed("GET", "/", [("prefix", "J"), ("max-keys", "2")], [], Self.empty)
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test func `the header names key, day, region and headers`() {
        let text = signature.authorization(
            method: "GET", path: "/", query: [], headers: [("x-b", "1"), ("host", "h")],
            payloadDigest: Self.empty, time: time)
        #expect(
            text.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                    + "aws4_request, SignedHeaders=host;x-b, Signature="))
    }

    @Test func `a time is signed in the basic form`() {
        #expect(time.text == "20130524T000000Z")
        #expect(time.date == "20130524")
    }

    @Test func `answers are parsed`() {
        let text = XMLText("<a><b>1</b><b>x &amp;&#60;&#x3e;&quot;&apos;</b><c>&bad;</c><d/></a>")
        #expect(text.elements("b").count == 2)
        #expect(text.first("b") == "1")
        #expect(XMLText("<b>x &amp;&#60;&#x3e;&quot;&apos;</b>").first("b") == "x &<>\"'")
        #expect(text.first("c") == nil && text.first("d") == nil && text.first("e") == nil)
        #expect(XMLText("<b>never closed").first("b") == nil)
        #expect(XMLText.escaped("a<b>&\"c\"") == "a&lt;b&gt;&amp;\"c\"")
    }
}
