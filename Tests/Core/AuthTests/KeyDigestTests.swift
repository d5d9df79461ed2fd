import Auth
import Testing

@Suite struct KeyDigestTests {
    /// Source: FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the digest is SHA-256`(text: String, hex: String) {
        let bytes = KeyDigest(of: text).bytes
        let found = bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        #expect(found.joined() == hex)
    }

    @Test func `any single changed bit gives a different digest`() throws {
        let digest = KeyDigest(of: "some key")
        #expect(digest == KeyDigest(of: "some key"))
        for bit in 0..<256 {
            var bytes = digest.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try #require(KeyDigest(bytes: bytes)) != digest, "bit \(bit)")
        }
    }

    @Test(arguments: [0, 31, 33]) func `bytes of another length are no digest`(count: Int) {
        #expect(KeyDigest(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func `neither a description nor a dump shows the digest`() {
        let digest = KeyDigest(of: "abc")
        var dumped = ""
        dump(digest, to: &dumped)
        for text in ["\(digest)", String(reflecting: digest), dumped] {
            #expect(!text.contains("ba78") && !text.contains("186"))
        }
    }
}
