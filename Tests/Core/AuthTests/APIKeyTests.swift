import Auth
import Testing

@Suite struct APIKeyTests {
    @Test func `a key is its prefix and 32 bytes in base64url`() throws {
        let key = APIKey.make().revealed()
        #expect(key.hasPrefix("slk_"))
        #expect(key.count == 47)
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(key.dropFirst(4).allSatisfy { alphabet.contains($0) })
    }

    @Test func `no two keys are alike`() throws {
        var seen: Set<String> = []
        for _ in 0..<1000 {
            #expect(seen.insert(APIKey.make().revealed()).inserted)
        }
    }

    @Test func `neither a description nor a dump shows the key`() throws {
        let key = APIKey.make()
        let secret = key.revealed().dropFirst(4)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(secret))
        }
    }
}
