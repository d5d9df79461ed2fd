import HTTP
import JSONText

extension ErrorEnvelope {
    /// `{"status":"error","error":…}`: memory captures.
    static let captures = ErrorEnvelope { text(of: $0.sentence) }

    /// Like ``captures``; the sentence begins with `upload failed: `.
    static let upload = ErrorEnvelope { text(of: "upload failed: " + $0.sentence) }

    private static func text(of sentence: String) -> String {
        "{\"status\":\"error\",\"error\":\(JSONString.quoted(sentence))}"
    }
}
