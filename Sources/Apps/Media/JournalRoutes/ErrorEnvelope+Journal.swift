import HTTP
import JSONText
import NIOHTTP1

extension ErrorEnvelope {
    /// `{"error":…,"details":…,"code":…}`: the journal. The status in words, the sentence, and the
    /// status as a number.
    static let journal = ErrorEnvelope { problem in
        let words = HTTPResponseStatus(statusCode: problem.status).reasonPhrase
        return "{\"error\":\(JSONString.quoted(words)),"
            + "\"details\":\(JSONString.quoted(problem.sentence)),\"code\":\(problem.status)}"
    }
}
