import Fleet
import Load

/// Sends sentences as users' apps do, and keeps the answers. Used on one thread, then passed to
/// another.
final class MealPosts: Workload {
    /// The request with one sentence.
    struct Post {
        let user: Int
        /// The intended start, in monotonic nanoseconds.
        var intended: UInt64 = 0
        var status = 0
        /// Parsed after the run.
        var answer: [UInt8] = []
    }

    private let sentences: [[UInt8]]
    private let lines: [[UInt8]]
    /// By ticket.
    private(set) var posts: [Post] = []

    /// - Parameter bodies: request bodies as JSON. Both bodies and users take turns.
    init(_ users: MealUsers, bodies: [[UInt8]]) {
        sentences = bodies
        lines = users.tokens.map { Array("Authorization: Bearer \($0)\r\n".utf8) }
    }

    func next() -> UInt64? {
        posts.append(Post(user: posts.count % lines.count))
        return UInt64(posts.count - 1)
    }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        body.put(bytes: sentences[Int(ticket) % sentences.count])
    }

    func headLines(_ ticket: UInt64) -> [UInt8] { lines[posts[Int(ticket)].user] }

    func left(_ ticket: UInt64, intended: UInt64) { posts[Int(ticket)].intended = intended }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        posts[Int(ticket)].status = answer.status
        posts[Int(ticket)].answer = Array(answer.body)
        return .done
    }

    func lost(_ ticket: UInt64) -> Verdict { .done }
}
