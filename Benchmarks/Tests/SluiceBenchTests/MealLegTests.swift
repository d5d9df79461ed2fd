import Load
import Testing

@testable import sluice_bench

/// The latencies of a run of meals, and what makes the run void.
struct MealLegTests {
    private static let names = ["anna", "ben"]

    private func post(_ user: Int, _ id: String, at moment: UInt64, status: Int = 201)
        -> MealPosts.Post
    {
        var post = MealPosts.Post(user: user)
        post.intended = moment
        post.status = status
        post.answer = Array(#"{"data":{"user_id":"x","id":"\#(id)","status":"processing"}}"#.utf8)
        return post
    }

    private func push(
        _ user: Int, _ id: String, at moment: UInt64, type: String = "meal_log.completed",
        of owner: Int? = nil
    ) -> MealPushes.Push {
        let frame =
            #"{"type":"\#(type)","data":{"id":"\#(id)","user_id":"\#(Self.names[owner ?? user])","#
            + #""items":[{"id":"other","meal_log_id":"\#(id)"}]},"timestamp":"2026-01-24T15:30:00Z"}"#
        return MealPushes.Push(user: user, at: moment, frame: Array(frame.utf8))
    }

    private func leg(
        _ posts: [MealPosts.Post], _ pushes: [MealPushes.Push],
        _ change: (inout LoadReport) -> Void = { _ in }
    ) -> MealLeg {
        var report = LoadReport()
        for post in posts { report.statuses[post.status, default: 0] += 1 }
        change(&report)
        return MealLeg(posts, pushes, names: Self.names, report)
    }

    @Test func `latency is measured from the intended start of the request`() {
        let connected = MealPushes.Push(
            user: 0, at: 1, frame: Array(#"{"type":"connected","data":{"user_id":"anna"}}"#.utf8))
        let leg = leg(
            [
                post(0, "a", at: 1_000_000), post(1, "b", at: 2_000_000),
                post(0, "c", at: 3_000_000),
            ],
            [
                connected, push(1, "b", at: 12_000_000), push(0, "a", at: 3_500_000),
                push(0, "c", at: 8_000_000, type: "meal_log.failed"),
            ])
        #expect(leg.fault == nil)
        #expect(leg.latencies == [2.5, 5, 10])
        #expect(leg.latency(at: 50) == 5 && leg.latency(at: 99) == 10 && leg.latency(at: 1) == 2.5)
        #expect(leg.accepted == ["a", "b", "c"])
        #expect(leg.failed == 1)
    }

    @Test func `missing, repeated, unknown or misdirected results make a run void`() {
        let one = post(0, "a", at: 1)
        let result = push(0, "a", at: 2)
        #expect(leg([one], [result]).fault == nil)
        #expect(leg([one], []).fault == "1 results missing")
        #expect(leg([one], [result, result]).fault == "1 results pushed twice")
        #expect(
            leg([one], [result, push(0, "b", at: 2)]).fault == "1 results of unknown logs")
        #expect(leg([one], [push(1, "a", at: 2)]).fault == "a result on another user's socket")
        #expect(leg([one], [push(0, "a", at: 2, of: 1)]).fault != nil)
        #expect(leg([one], [push(0, "a", at: 2, type: "error")]).fault != nil)
        #expect(leg([], []).fault == "1 run without an accepted log")
        let refused = leg([one, post(1, "b", at: 1, status: 503)], [result])
        #expect(refused.fault == "1 answers other than 201 [503: 1]")
        #expect(leg([one], [result]) { $0.lost = 2 }.fault == "2 requests lost")
        #expect(leg([one], [result]) { $0.neverSent = 3 }.fault == "3 requests never sent")
    }

    @Test func `a token is signed as the standard says`() {
        let token = UserToken.token(
            user: "anna", secret: "a secret of thirty-two bytes, or more", end: 1_769_250_600)
        #expect(
            token == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                + "eyJzdWIiOiJhbm5hIiwiZXhwIjoxNzY5MjUwNjAwfQ."
                + "X95FGGYgCCLGSxaDHUNUnDAG1RJvIiyKNUK55vgsVxQ")
    }
}
