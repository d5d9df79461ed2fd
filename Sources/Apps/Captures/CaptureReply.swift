public import Ingest
import JSONText
import Readings

/// The text frames that the server sends on a capture socket.
public enum CaptureReply {
    /// The capture is committed or in the spool.
    public static func acknowledgement(of capture: Capture) -> String {
        var json = "{\"type\":\"ack\",\"status\":\"received\",\"captureId\":"
        JSONString.append(capture.id, to: &json)
        json += ",\"timestamp\":\"\(capture.capturedAt.secondsText)\"}"
        return json
    }

    /// The answer to a capture that was offered to a lane.
    public static func reply(to capture: Capture, _ outcome: UnitOutcome) -> String {
        switch outcome {
        case .committed("foreign"): failure("id belongs to another user")
        case .committed, .spooled: acknowledgement(of: capture)
        case .unavailable(let retryAfter): unavailable(retryAfter: retryAfter)
        case .refused(let sqlState): failure("the database refused it (\(sqlState))")
        }
    }

    /// The queue is full or the database is unreachable. Nothing was stored; the client should send
    /// the capture again.
    public static func unavailable(retryAfter: Duration) -> String {
        let seconds = max(1, Int((retryAfter / .seconds(1)).rounded(.up)))
        return failure("not stored; try again in \(seconds) s")
    }

    /// The answer to a frame that is not a valid capture.
    public static func refusal(_ fault: CaptureFault) -> String {
        switch fault {
        case .notJSON(let fault, let offset):
            error("invalid_json", "\(prose(fault)) at byte \(offset)")
        case .duplicateKey(let field):
            error("invalid_json", "\(field.rawValue) stands twice")
        case .otherType: otherType
        case .field(let field, let rule): failure("\(field.rawValue) \(prose(rule))")
        }
    }

    /// The topic of the news that a capture was analysed.
    public static let topic = "memory"

    private static let otherType = """
        {"ok":false,"error":"invalid_type","type":"error","status":"invalid_type",\
        "detail":"Expected type=memory_capture"}
        """

    private static func failure(_ detail: String) -> String { error("failed_to_save", detail) }

    private static func error(_ name: StaticString, _ detail: String) -> String {
        var json = "{\"ok\":false,\"error\":\"\(name)\",\"detail\":"
        JSONString.append(detail, to: &json)
        return json + "}"
    }

    private static func prose(_ fault: JSONFault) -> String {
        switch fault {
        case .truncated: "the text ends too early"
        case .unexpectedByte: "unexpected character"
        case .invalidUTF8: "no UTF-8"
        case .nestedTooDeep: "nested too deep"
        }
    }

    private static func prose(_ rule: CaptureFault.Rule) -> String {
        switch rule {
        case .missing: "is missing"
        case .notString: "must be a string"
        case .notText: "must not contain U+0000 or half of a surrogate pair"
        case .tooLong(let bytesMax): "is longer than \(bytesMax) bytes"
        case .notTime: "is no ISO 8601 date and time"
        case .notAccepted(let times):
            "is outside the accepted times, "
                + "\(times.lowerBound.secondsText) to \(times.upperBound.secondsText)"
        case .notID: "must be 1 to 128 characters of A-Z a-z 0-9 - _ . and not begin with a dot"
        case .notURL: "is no http or https URL"
        }
    }
}
