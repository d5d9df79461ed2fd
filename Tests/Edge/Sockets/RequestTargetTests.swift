import Testing

@testable import Edge

@Suite struct RequestTargetTests {
    @Test(
        arguments: [
            ("/ws/ios/po-lin", ["ws", "ios", "po-lin"], nil), ("/", [], nil), ("", [], nil),
            ("/ws/ios/anna%20k/", ["ws", "ios", "anna k"], nil),
            ("/ws/ios/a%2Fb", ["ws", "ios", "a/b"], nil), ("/ws//x", ["ws", "", "x"], nil),
            ("/ws?token=a%20b", ["ws"], "token=a%20b"), ("/ws?a?b#c", ["ws"], "a?b"),
            ("ws://localhost:1/ws/x?y", ["ws", "x"], "y"), ("http://localhost?y", [], "y"),
            ("/bad/%2", [], nil), ("/bad/%zz", [], nil), ("/bad/%ff", [], nil),
            ("/caf%C3%A9", ["café"], nil),
        ] as [(String, [String], String?)])
    func `a target has parts and a query`(_ target: String, _ path: [String], _ query: String?) {
        let read = RequestTarget(target)
        #expect(read.path == path)
        #expect(read.query == query)
    }
}
