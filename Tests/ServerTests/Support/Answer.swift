import Foundation
import Testing

/// A server's answer, received by the real curl.
struct Answer {
    let status: Int
    /// Header names are in lower case.
    let headers: [String: String]
    let body: String

    static func curl(_ arguments: [String], input: String = "") async throws -> Answer {
        let outcome = try await Subprocess.run(
            "/usr/bin/curl",
            ["--silent", "--show-error", "--include", "--max-time", "120"] + arguments,
            input: input)
        // Not `#require`: callers that retry ignore this error.
        guard let answer = Answer(response: outcome.out) else {
            throw NoAnswer(description: "curl \(outcome.status): \(outcome.err)")
        }
        return answer
    }

    /// The server sent nothing, or nothing that is HTTP.
    struct NoAnswer: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter response: heads and body as `curl --include` prints them; the last head
    ///   counts, since a 100 precedes it.
    init?(response: String) {
        var rest = Substring(response.replacing("\r\n", with: "\n"))
        var head: Substring = ""
        while rest.hasPrefix("HTTP/") {
            guard let end = rest.range(of: "\n\n") else { return nil }
            head = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
        }
        let lines = head.split(separator: "\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ")[1]) else {
            return nil
        }
        self.status = status
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        self.headers = headers
        body = String(rest)
    }

    /// The body as a JSON object.
    var json: [String: Any] {
        get throws {
            try #require(
                try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any], "\(body)"
            )
        }
    }

    /// A whole number of the body.
    func number(_ key: String) throws -> Int {
        try #require(try json[key] as? Int, "\(key) in \(body)")
    }
}
