import HTTPTypes
import NIOCore
import Testing

@testable import Edge

@Suite struct RoutePathTests {
    @Test(arguments: [
        ("/upload/a", Route.upload), ("/upload/a/", .upload), ("/upload/a?b/c", .upload),
        ("http://host/upload/a", .upload), ("/upload", .otherCaptures),
        ("/upload/", .otherCaptures),
        ("/upload//", .otherCaptures), ("/upload/a/b", .otherCaptures), ("/uploads/a", .other),
        ("/media/a", .media), ("/media/memories/a/photo.jpg", .media),
        ("/media/a/b/c/d/e/f", .media), ("/media//a", .otherCaptures), ("/media", .otherCaptures),
        ("/memories/u/2026-01-01", .memories), ("/memories/u", .otherCaptures),
        ("/memories/u/d/e", .otherCaptures), ("/init-user/u", .initUser),
        ("/init-user", .otherCaptures), ("/user/u/profile", .profile),
        ("/user/u/contacts", .contacts), ("/user/u/contacts/", .contacts),
        ("/user//contacts", .otherCaptures), ("/user/u/secrets", .otherCaptures),
        ("/user/u", .otherCaptures), ("/openapi.json", .openAPI), ("/docs", .docs),
        ("/docs/", .docs), ("/docs/x", .other), ("//upload/a", .other), ("/UPLOAD/a", .other),
    ])
    func `a path is known by its form`(uri: String, route: Route) {
        #expect(Route(uri: uri) == route)
    }

    @Test func `a failure is answered in the path's envelope`() {
        for (uri, body) in [
            ("/upload/a", #"{"status":"error","error":"upload failed: The body came too slowly"}"#),
            ("/media/a", #"{"status":"error","error":"The body came too slowly"}"#),
            ("/user", #"{"status":"error","error":"The body came too slowly"}"#),
            ("/ingest", #"{"detail":"The body came too slowly"}"#),
            ("/nowhere", #"{"detail":"The body came too slowly"}"#),
        ] {
            var bytes = ByteBuffer()
            Failure.bodyTimedOut.write(to: &bytes, in: Route(uri: uri).envelope)
            #expect(String(buffer: bytes) == body)
        }
    }

    @Test func `every known path says which methods it has`() {
        for route in Route.allCases {
            let hasNone: Set<Route> = [
                .other, .otherCaptures, .otherMeals, .otherJournal, .mealSocket,
                .consultationSocket,
            ]
            #expect(route.methods.isEmpty == hasNone.contains(route), "\(route)")
        }
    }
}
