import HTTPTypes
import NIOCore
import Testing

@testable import Edge

@Suite struct JournalPathTests {
    @Test(arguments: [
        ("/api/users/user/k/moods/swift", Route.journalEntry),
        ("/api/users/user/k/multimedia/swift/", .journalEntry),
        ("/api/users/user/k/memories/swift?keepLocation=true", .journalEntry),
        ("/api/users/user/k/events/swift", .journalEntry),
        ("/api/users/user/k/profile-picture/swift", .journalEntry),
        ("/api/users/user/k/profile-picture", .profilePicture),
        ("/api/users/user/k/multimedia/files/a", .journalFile),
        ("/api/users/user/k/multimedia/files/a?w=100", .journalFile),
        ("/api/users/user/k/multimedia", .journalList), ("/api/users/user/k/moods", .journalList),
        ("/api/users/user/k/memories", .journalList), ("/api/users/user/k/events/", .journalList),
        ("/api/users/user/k/moods/a", .journalRecord),
        ("/api/users/user/k/events/a", .journalRecord),
        ("/api/users/user/k/memories/a", .journalRecord),
        ("/api/users/user/k/multimedia/a", .journalRecord),
        ("/api/users", .otherJournal), ("/api/users/", .otherJournal),
        ("/api/users/user", .otherJournal), ("/api/users/user/k", .otherJournal),
        ("/api/users/user//moods", .otherJournal), ("/api/users/user/k/moods//", .otherJournal),
        ("/api/users/user/k/moods/a/b", .otherJournal),
        ("/api/users/user/k/files/a", .otherJournal),
        ("/api/users/user/k/multimedia/files/a/b", .otherJournal),
        ("/api/users/other/k/moods", .otherJournal), ("/api/userss", .other), ("/api", .other),
        ("/API/users/user/k/moods", .other),
    ])
    func `a path of the journal is known by its form`(uri: String, route: Route) {
        #expect(Route(uri: uri) == route)
    }

    @Test(arguments: [
        (Failure.bodyTimedOut, "Request Timeout", "The body came too slowly", 408),
        (.headTooLarge, "Request Header Fields Too Large", "", 431),
        (.overloaded(retryAfter: .seconds(1)), "Service Unavailable", "", 503),
        (.requestMalformed, "Bad Request", "", 400),
    ])
    func `the connection's own errors have the journal's form too`(
        failure: Failure, error: String, details: String, code: Int
    ) {
        var bytes = ByteBuffer()
        failure.write(to: &bytes, in: Route(uri: "/api/users/user/k/moods/swift").envelope)
        let text = String(buffer: bytes)
        #expect(text.hasPrefix("{\"error\":\"\(error)\",\"details\":\"\(details)"))
        #expect(text.hasSuffix("\",\"code\":\(code)}"))
    }
}
