import Media
import Testing

struct MediaPathTests {
    @Test(arguments: [
        "ABC-123", "550e8400-e29b-41d4-a716-446655440000", "a", "a.b_c~d", "0",
        String(repeating: "x", count: 145),
    ])
    func `an id of safe characters has its files`(id: String) throws {
        let path = try #require(MediaPath("memories/\(id)/photo.jpg"))
        #expect(path.text == "memories/\(id)/photo.jpg" && path.captureID == id)
    }

    @Test(arguments: [
        "", ".", "..", "...", ".hidden", "../x", "a/b", "a\\b", "a b", "a%2e", "a\0", "a\n", "é",
        "a:b", "~\u{7F}", "a?b", "a#b", String(repeating: "x", count: 146),
    ])
    func `every other id is refused`(id: String) {
        #expect(!MediaPath.isComponent(id))
        #expect(MediaPath("memories/\(id)/photo.jpg") == nil || id == "a/b")
    }

    @Test(arguments: [
        "", "/", "/a", "a/", "a//b", "a/../b", "a/./b", "../a", "a/b/c/d/e", "a/b\0",
    ])
    func `a path has one to four components and nothing else`(text: String) {
        #expect(MediaPath(text) == nil)
    }
}
