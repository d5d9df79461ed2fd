import Foundation

/// A response as a client reads it.
struct ParsedAnswer: CustomStringConvertible {
    struct Malformed: Error { let text: String }

    let status: Int
    /// Names are in lower case.
    let headers: [String: String]
    let body: String

    var description: String { "\(status) \(headers) \(body)" }

    /// The body as JSON.
    var json: NSDictionary? {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? NSDictionary
    }

    func number(_ key: String) -> Int? { json?[key] as? Int }

    var problems: [NSDictionary]? { json?["problems"] as? [NSDictionary] }

    var detail: String? { json?["detail"] as? String }

    /// Takes one response from the front of `text`; nil while it is incomplete.
    ///
    /// - Parameter isHead: the request was a HEAD, so no body follows.
    static func take(from text: inout Substring, isHead: Bool = false) throws -> ParsedAnswer? {
        guard let headEnd = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<headEnd.lowerBound].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Malformed(text: String(text))
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Malformed(text: line) }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        let isBodyless = status == 100 || status == 204 || status == 304 || isHead
        let length = isBodyless ? 0 : Int(headers["content-length"] ?? "")
        guard let length else { throw Malformed(text: "no length: \(lines)") }
        let rest = text[headEnd.upperBound...].utf8
        guard rest.count >= length else { return nil }
        let bodyEnd = rest.index(rest.startIndex, offsetBy: length)
        let body = String(text[headEnd.upperBound..<bodyEnd])
        text = text[bodyEnd...]
        return ParsedAnswer(status: status, headers: headers, body: body)
    }

    static func all(in text: String) throws -> [ParsedAnswer] {
        var rest = text[...]
        var answers: [ParsedAnswer] = []
        while !rest.isEmpty {
            guard let answer = try take(from: &rest) else { throw Malformed(text: String(rest)) }
            answers.append(answer)
        }
        return answers
    }
}
