import Notices
import Postgres
import Readings
import TestSupport
import Testing

@testable import Meals

/// Pending results of a user, consultations, and the texts of frames.
@Suite(.timeLimit(.minutes(10)))
struct UndeliveredTests {
    let rig: MealRig

    init() throws {
        rig = try MealRig()
    }

    @Test func `results wait in order until delivered, for each user separately`()
        async throws
    {
        var ids: [String] = []
        for number in 1...5 {
            let meal = try MealRig.natural("\(number) eggs")
            try rig.store(meal)
            try await rig.run(meal)
            ids.append(meal.id)
        }
        let his = try MealRig.natural("tea", user: "bob")
        try rig.store(his)
        try await rig.run(his)
        let first = try Undelivered.news(
            forUser: "ann", topic: "meal", limit: 2, on: rig.connection)
        #expect(try first.map { try ClientFrame.decode($0.frame).data.id } == Array(ids[..<2]))
        let rest = try Undelivered.news(
            forUser: "ann", topic: "meal", after: first.last?.id ?? 0, on: rig.connection)
        #expect(try rest.map { try ClientFrame.decode($0.frame).data.id } == Array(ids[2...]))
        try Undelivered.delivered(first.map(\.id), on: rig.connection)
        try Undelivered.delivered(first.map(\.id) + [999_999], on: rig.connection)
        try Undelivered.delivered([], on: rig.connection)
        #expect(try rig.results() == rest)
        #expect(try rig.results(user: "bob").count == 1)
        _ = try MealQueries.delete(ids[2], byUser: "ann", on: rig.connection)
        #expect(try rig.results() == Array(rest[1...]))
    }

    @Test func `rows that another session is deleting are not waited for`() async throws {
        let meal = try MealRig.natural("2 eggs")
        try rig.store(meal)
        try await rig.run(meal)
        let id = try #require(rig.results().first?.id)
        let other = try Connection.open(rig.settings, deadline: .now + .seconds(30))
        try other.execute("begin")
        try Undelivered.delivered([id], on: other)
        try Undelivered.delivered([id], on: rig.connection)
        try other.commit()
        #expect(try rig.results() == [])
    }

    @Test func `a consultation belongs to its user only`() throws {
        let new = try MealRig.bytes("{\"topic\":\"food\"}") { body throws(MealFault) in
            try Consultations.create(body, forUser: "ann", now: MealRig.noon)
        }
        let body = try Consultations.store(new, on: rig.connection)
        #expect(try Consultations.store(new, on: rig.connection) == body)
        #expect(
            body
                == """
                {"data":{"consultation":{"id":"\(new.id)","user_id":"ann","status":"active",\
                "created_at":"2026-01-23T14:30:00Z","updated_at":"2026-01-23T14:30:00Z"}}}
                """)
        let connection = rig.connection
        #expect(
            try Consultations.access(new.id, user: "ann", on: connection) == .done(json: ""))
        #expect(try Consultations.access(new.id, user: "bob", on: connection) == .foreign)
        #expect(try Consultations.access(MealID.make(), user: "ann", on: connection) == .notFound)
        #expect(try Consultations.access("..", user: "ann", on: connection) == .notFound)
        #expect(throws: MealFault.notObject(field: "body")) {
            try MealRig.bytes("[]") { body throws(MealFault) in
                _ = try Consultations.create(body, forUser: "ann", now: MealRig.noon)
            }
        }
    }
}
