import Captures
import JSONText
import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MemoryQueriesTests {
    let connection: Connection

    init() throws { connection = try TestCluster.shared.freshConnection(named: "memories") }

    private func object(_ answer: MemoryAnswer) throws -> NSDictionary {
        try #require(
            JSONSerialization.jsonObject(with: Data(answer.json.utf8)) as? NSDictionary)
    }

    private func request(_ json: String) throws(ProfileFault) -> ProfileRequest {
        let bytes = Array(json.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ProfileFault) in try ProfileRequest(bytes) }
        }
        return try result.get()
    }

    @Test func `a day without a summary is not found`() throws {
        let answer = try MemoryQueries.day("2026-01-23", ofUser: "ann", on: connection)
        #expect(answer.status == .notFound)
        #expect(
            answer.json == #"{"status":"not_found","message":"No summary for 2026-01-23"}"#)
    }

    @Test func `a day has every field of the contract, arrays as arrays, counts as integers`()
        throws
    {
        try connection.execute(
            """
            insert into sluice.day_summary (user_id, date, time_zone, is_final, content, updated_at)
            values ('ann', '2026-01-23', 'America/New_York', false,
                '{"summary":"A day","themes":["work"],"highlights":null,"totalCaptures":3,
                  "timeline":[{"time":"09:30","event":"Coffee"}]}', '2026-01-23 20:00:00.9+00')
            """)
        let answer = try MemoryQueries.day("2026-01-23", ofUser: "ann", on: connection)
        let object = try object(answer)
        #expect(answer.status == .success)
        #expect(object["status"] as? String == "success")
        let data = try #require(object["data"] as? [String: Any])
        #expect(data["summary"] as? String == "A day")
        #expect(data["themes"] as? [String] == ["work"])
        for name in ["highlights", "peopleInteractions", "locations", "accomplishments"] {
            #expect((data[name] as? [Any])?.isEmpty == true, "\(name)")
        }
        #expect((data["timeline"] as? [[String: String]])?.first?["event"] == "Coffee")
        for name in ["mood", "morningOverview", "afternoonOverview", "eveningOverview"] {
            #expect(data[name] as? String == "", "\(name)")
        }
        #expect(
            answer.json.contains(#""totalCaptures": 3,"#)
                || answer.json.contains(#""totalCaptures": 3}"#))
        #expect(data["date"] as? String == "2026-01-23")
        #expect(data["updatedAt"] as? String == "2026-01-23T20:00:00Z")
    }

    @Test(arguments: [
        ("2026-01-23", true), ("2024-02-29", true), ("2026-02-29", false), ("2026-1-23", false),
        ("2026-01-23T", false), ("", false), ("0000-01-01", false), ("2026-13-01", false),
        ("2026-01-2x", false), ("９999-01-01", false),
    ])
    func `a date is a day of the calendar`(text: String, isDate: Bool) {
        #expect(MemoryQueries.isDate(text) == isDate)
    }

    @Test func `a user is initialized once`() throws {
        #expect(
            try MemoryQueries.profile(ofUser: "ann", on: connection).status == .notFound)
        try connection.execute("insert into sluice.app_user (user_id) values ('ann')")
        #expect(
            try MemoryQueries.profile(ofUser: "ann", on: connection).status == .notFound)
        try connection.execute(
            """
            insert into sluice.contact (user_id, name_key, name, first_seen, last_seen, mention_count)
            values ('ann', 'bob', 'Bob', now(), now(), 1)
            """)
        let first = try MemoryQueries.initialize(
            user: "ann", request(#"{"summary":"Likes \"tea\"","timeZone":"Europe/Berlin","x":1}"#),
            on: connection
        ).get()
        let made = try object(first)
        #expect(first.status == .success)
        #expect(made["status"] as? String == "success")
        #expect(made["message"] is String)
        #expect(made["contactsCount"] as? Int == 1)
        let profile = try #require(made["profile"] as? [String: Any])
        #expect(profile["summary"] as? String == "Likes \"tea\"")
        #expect(profile["timeZone"] as? String == "Europe/Berlin")
        let second = try MemoryQueries.initialize(
            user: "ann", request(#"{"summary":"Other"}"#), on: connection
        ).get()
        #expect(second.status == .exists)
        #expect(
            (try object(second)["profile"] as? [String: Any])?["summary"] as? String
                == "Likes \"tea\"")
        let read = try object(MemoryQueries.profile(ofUser: "ann", on: connection))
        #expect(
            (read["data"] as? [String: Any])?["summary"] as? String == "Likes \"tea\"")
        #expect(
            ((read["data"] as? [String: Any])?["createdAt"] as? String)?
                .wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    }

    @Test(arguments: [
        ("", ProfileFault.notJSON(.truncated, offset: 0)), ("[]", .notObject),
        ("{}", .summaryMissing), (#"{"summary":null}"#, .summaryMissing),
        (#"{"summary":""}"#, .summaryMissing), (#"{"summary":3}"#, .summaryInvalid),
        (#"{"summary":"a","summary":"b"}"#, .duplicateKey("summary")),
        (#"{"summary":"a","timeZone":3}"#, .timeZoneUnknown),
    ])
    func `a body without a summary is refused`(body: String, fault: ProfileFault) {
        #expect(throws: fault) { try request(body) }
    }

    @Test func `a body that the database does not know or can't hold is refused`() throws {
        for (body, fault) in [
            (#"{"summary":"a","timeZone":"Mars/Olympus"}"#, ProfileFault.timeZoneUnknown),
            (#"{"summary":"a","timeZone":"'; drop"}"#, .timeZoneUnknown),
            (#"{"summary":"a","timeZone":""}"#, .timeZoneUnknown),
            // Foundation reads it five hours ahead of UTC, PostgreSQL five behind.
            (#"{"summary":"a","timeZone":"GMT+5"}"#, .timeZoneUnknown),
            (#"{"summary":"a\u0000"}"#, .notText), (#"{"summary":{"a":"\ud800"}}"#, .notText),
        ] {
            let result = try MemoryQueries.initialize(user: "ann", request(body), on: connection)
            #expect(result == .failure(fault))
        }
        #expect(try connection.query("select from sluice.app_user").count == 0)
    }

    @Test func `contacts are sorted by mentions, and no contacts are an empty list`() throws {
        #expect(
            try object(MemoryQueries.contacts(ofUser: "ann", on: connection))
                == ["status": "success", "data": []])
        try connection.execute(
            """
            insert into sluice.contact values
                ('ann', 'john', 'John', 'friend', null, 'https://example.org/j.jpg',
                    '2026-01-01 10:00:00.5+00', '2026-01-02 10:00:00+00', 2),
                ('ann', 'mia', 'Mia', null, 'runs', null, '2026-01-01', '2026-01-03', 5),
                ('bob', 'zoe', 'Zoe', null, null, null, '2026-01-01', '2026-01-03', 9)
            """)
        let object = try object(MemoryQueries.contacts(ofUser: "ann", on: connection))
        let contacts = try #require(object["data"] as? [[String: Any]])
        #expect(contacts.map { $0["name"] as? String } == ["Mia", "John"])
        #expect(contacts[1]["firstSeen"] as? String == "2026-01-01T10:00:00Z")
        #expect(contacts[1]["mentionCount"] as? Int == 2)
        #expect(contacts[0]["bestFacePhotoURL"] is NSNull)
    }

    @Test(arguments: ["dr. miller", "Dr.  MILLER ", "Dr. Miller"])
    func `a contact is deleted by its name in any case and spacing`(name: String) throws {
        try connection.execute(
            """
            insert into sluice.app_user (user_id) values ('ann'), ('bob');
            insert into sluice.contact (user_id, name_key, name, first_seen, last_seen, mention_count)
            values ('ann', 'dr. miller', 'Dr. Miller', now(), now(), 1),
                ('ann', 'mia', 'Mia', now(), now(), 1),
                ('bob', 'dr. miller', 'Dr. Miller', now(), now(), 1)
            """)
        #expect(
            try MemoryQueries.deleteContact(name, ofUser: "ann", on: connection).status == .success)
        let left = try connection.query("select user_id || name_key from sluice.contact order by 1")
        #expect((0..<left.count).map { left.string($0, 0) } == ["annmia", "bobdr. miller"])
        #expect(
            try MemoryQueries.deleteContact(name, ofUser: "ann", on: connection).status == .notFound
        )
    }

    @Test func `a capture's owner is known`() throws {
        #expect(try MemoryQueries.owner(ofCapture: "a", on: connection) == nil)
        try connection.execute(
            """
            insert into sluice.capture (capture_id, user_id, captured_at, received_at)
            values ('a', 'ann', now(), now())
            """)
        #expect(try MemoryQueries.owner(ofCapture: "a", on: connection) == "ann")
    }
}
