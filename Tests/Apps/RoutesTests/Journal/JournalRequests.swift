import Foundation
import Testing

@testable import HTTPSupport

/// Requests of a journal client.
extension AppServer {
    static let journal = "/api/users/user/kim"

    /// A text part.
    static func text(_ name: String, _ text: String) -> FormBody.Part {
        FormBody.Part(name: name, content: Array(text.utf8))
    }

    /// A file part.
    static func file(
        _ content: [UInt8], name: String = "file", filename: String = "image0.jpg",
        type: String? = "image/jpeg"
    ) -> FormBody.Part {
        FormBody.Part(name: name, filename: filename, type: type, content: content)
    }

    /// Sends a form to one of the paths that end in `swift`.
    func post(
        _ kind: String, _ parts: [FormBody.Part], user: String = "kim", query: String = "",
        fields: [String] = FormBody.fields
    ) async throws -> ParsedAnswer {
        try await ask(
            "POST", "/api/users/user/\(user)/\(kind)/swift\(query)", fields,
            body: FormBody.bytes(parts))
    }

    /// Uploads one file and returns its path and id.
    func upload(
        _ content: [UInt8] = JournalSamples.jpeg, filename: String = "image0.jpg",
        user: String = "kim"
    ) async throws -> (path: String, id: String) {
        let answer = try await post(
            "multimedia", [Self.file(content, filename: filename)], user: user)
        try #require(answer.status == 200, "\(answer.body)")
        let files = try #require(answer.json?["files"] as? [[String: [String: Any]]])
        let id = try #require(files.first?["data"]?["fileId"] as? String)
        return ("/api/users/user/\(user)/multimedia/files/\(id)", id)
    }

    /// The server's complete answer to a GET, unparsed.
    func download(
        _ path: String, _ fields: [String] = []
    ) async throws -> (head: String, content: [UInt8]) {
        try await onThread {
            let client = try client()
            let lines = ["GET \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
            try client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
            var head: [UInt8] = []
            while head.suffix(4) != [13, 10, 13, 10] { head += try client.receive(count: 1) }
            let text = String(decoding: head, as: UTF8.self).lowercased()
            let length = text.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) }
            return (text, try client.receive(count: length ?? 0))
        }
    }

    /// Checks the error envelope: three keys, and an integer code that equals the status.
    func expectFailure(
        _ answer: ParsedAnswer, _ status: Int, details: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(answer.body)", sourceLocation: location)
        #expect(
            answer.headers["content-type"] == "application/json", sourceLocation: location)
        let error = answer.json
        #expect(
            (error as? [String: Any]).map { Set($0.keys) } == ["error", "details", "code"],
            "\(answer.body)",
            sourceLocation: location)
        #expect(answer.body.hasSuffix(",\"code\":\(status)}"), sourceLocation: location)
        #expect((error?["error"] as? String)?.isEmpty == false, sourceLocation: location)
        let told = error?["details"] as? String
        if let details {
            #expect(told?.contains(details) == true, "\(answer.body)", sourceLocation: location)
        }
    }

    /// The number of rows of the journal and of its files.
    func journalRows() throws -> Int {
        Int(
            try value(
                """
                select ((select count(*) from sluice.media_file)
                    + (select count(*) from sluice.journal_file)
                    + (select count(*) from sluice.upload) + (select count(*) from sluice.mood)
                    + (select count(*) from sluice.keepsake)
                    + (select count(*) from sluice.calendar_entry)
                    + (select count(*) from sluice.profile_picture))::text
                """) ?? "") ?? -1
    }
}
