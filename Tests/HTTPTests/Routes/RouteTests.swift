import HTTPTypes
import Hummingbird
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct RouteTests {
    private static let table = RouteTable([
        RouteGroup([.get("/") { _, _ in Response(status: .ok) }], urgency: .health),
        RouteGroup(
            [
                .get("/things/new") { _, _ in Response(status: .ok) },
                .get("/things/{id}", label: "a thing") { _, _ in Response(status: .ok) },
                .delete("/things/{id}") { _, _ in Response(status: .ok) },
                .put("/files/**", in: ErrorEnvelope { _ in "file" }) { _, _ in Response(status: .ok)
                },
                .socket("/things/{id}/ws", TestSockets()) { SocketRoute(user: $0[0]) },
            ], envelope: ErrorEnvelope { _ in "thing" }, others: ["/things", "/things/**"],
            othersLabel: "other things"),
    ])

    @Test(arguments: [
        ("/ingest", "/ingest"), ("/ingest/", "/ingest"), ("/ingest?x", "/ingest"),
        ("///ingest//?a=//", "/ingest"), ("http://h//ingest/", "/ingest"),
        ("http:///ingest", "/ingest"), ("//", "/"), ("http://h//", "/"), ("/?x", "/"),
        ("http://h", "/"), ("*", "other"), ("", "other"), ("example.org:443", "other"),
        ("/http://h/ingest", "other"), ("/ingest/%2F", "other"), ("/INGEST", "other"),
        ("/things/new", "/things/new"), ("/things/7?x#y", "a thing"), ("/thing", "other"),
        ("/things/7/ws/", "/things/{id}/ws"), ("/things", "other things"),
        ("/things/7/8/9", "other things"), ("/files/a", "/files/**"), ("/files", "other"),
        ("/files/a/b/c", "/files/**"),
    ])
    func `a target is one of the known paths`(target: String, label: String) {
        let id = Self.table.id(of: RequestTargetForm.tidied(target))
        #expect(Self.table[id].label == label)
    }

    @Test func `methods and envelopes follow from the routes`() {
        func entry(_ target: String) -> RouteTable.Entry { Self.table[Self.table.id(of: target)] }
        let problem = ErrorProblem("no", status: 400)
        #expect(entry("/things/7").methods == [.get, .head, .delete])
        #expect(entry("/things/7/ws").methods.isEmpty)
        #expect(entry("/ingest").methods == [.post])
        #expect(entry("/things/7/8").envelope.text(problem) == "thing")
        #expect(entry("/files/7").envelope.text(problem) == "file")
        #expect(entry("/nowhere").envelope.text(problem) == #"{"detail":"no"}"#)
        #expect(entry("/").urgency > entry("/things/7").urgency)
    }

    @Test(arguments: [
        ("/ingest", "/ingest"), ("//ingest", "/ingest"), ("/ingest/", "/ingest"), ("//", "/"),
        ("/a//b///c/?x=//&y=/", "/a/b/c?x=//&y=/"), ("/?", "/?"), ("//#//", "/#//"),
        ("http://h:80//a/", "http://h:80/a"), ("http://h", "http://h"),
        ("http://h/?", "http://h/?"),
        ("*", "*"), ("h:443", "h:443"), ("", ""), ("/%2F/é//", "/%2F/é"), ("/a/../b", "/a/../b"),
    ])
    func `only superfluous slashes of its path go`(target: String, tidied: String) {
        #expect(RequestTargetForm.tidied(target) == tidied)
    }
}
