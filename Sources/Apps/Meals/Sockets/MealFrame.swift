public import Readings

/// The frames of `/ws/meal-logs` and `/api/v1/consultations/{id}/ws`, in both directions.
///
/// Every frame that the server sends has the members `type`, `data` and `timestamp`. Frames with a
/// log's result are rendered in `MealOutcome`, which passes them to `sluice.finish_meal_log` or
/// `sluice.drop_meal_message`.
public enum MealFrame {
    /// The types of frames that clients send.
    private enum Kind: String, CaseIterable {
        case ping
        case message
    }

    /// Decodes one text frame.
    ///
    /// - Parameters:
    ///   - bytes: on loan.
    ///   - now: the server's time, which limits how far `logged_at` may be in the future.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, now: Timestamp
    ) -> Result<MealFrameIn, MealFault> {
        do throws(MealFault) {
            let object = try JSONObject.body(bytes)
            let type = try object.text("type")
            switch try MealFault.oneOf(Kind.self, type, field: "type") {
            case .ping: return .success(.ping)
            case .message: return .success(.message(try MealMessage(object, now: now)))
            }
        } catch {
            return .failure(error)
        }
    }

    /// The first frame of a socket. The shipped client reads the ids beside `data`, so they are
    /// there too.
    ///
    /// - Parameter consultation: nil on `/ws/meal-logs`.
    public static func connected(
        user: String, consultation: String?, now: Timestamp
    ) -> String {
        JSONWriter.object { json in
            json.field("type", "connected")
            json.key("data")
            json.object { json in
                json.field("user_id", user)
                json.field("consultation_id", consultation)
                json.field("timestamp", now)
            }
            json.field("user_id", user)
            json.field("consultation_id", consultation)
            json.field("timestamp", now)
        }
    }

    /// The answer to a ping.
    public static func pong(now: Timestamp) -> String {
        "{\"type\":\"pong\",\"data\":null,\"timestamp\":\"\(now.secondsText)\"}"
    }

    /// The last frame for a client whose token or key is missing, wrong or expired; then the socket
    /// is closed.
    public static func unauthenticated(now: Timestamp) -> String {
        error("Authentication failed", code: "AUTH_ERROR", now: now)
    }

    /// An error; the socket stays open.
    public static func error(_ message: String, code: String, now: Timestamp) -> String {
        error(message, code: code, suggestions: nil, now: now)
    }

    /// The answer to a frame that can't be decoded.
    public static func error(_ fault: MealFault, now: Timestamp) -> String {
        error(message(fault), code: code(fault), suggestions: nil, now: now)
    }

    /// The immediate answer to a message that was offered to a lane. Nil if it was logged or
    /// spooled: then the result follows as news.
    public static func reply(to reply: MealReply, now: Timestamp) -> String? {
        switch reply {
        case .created, .accepted: return nil
        case .foreign: return error("The log belongs to another user", code: "FORBIDDEN", now: now)
        case .unavailable(let retryAfter):
            let seconds = max(1, Int((retryAfter / .seconds(1)).rounded(.up)))
            return error(
                "Not logged; try again in \(seconds) s", code: "SERVICE_UNAVAILABLE", now: now)
        case .refused:
            return error("The message could not be logged", code: "INTERNAL_ERROR", now: now)
        }
    }

    static func error(
        _ message: String, code: String, suggestions: [String]?, now: Timestamp
    ) -> String {
        func members(_ json: inout JSONWriter) {
            json.field("error", message)
            json.field("code", code)
            if let suggestions { json.field("suggestions", strings: suggestions) }
        }
        return JSONWriter.object { json in
            json.field("type", "error")
            json.key("data")
            json.object(members)
            members(&json)
            json.field("timestamp", now)
        }
    }

    /// Faults name the request's body; on a socket that is the message.
    private static func message(_ fault: MealFault) -> String {
        fault.field == "body" ? "message" + fault.message.dropFirst(4) : fault.message
    }

    private static func code(_ fault: MealFault) -> String {
        switch fault {
        case .notJSON: "INVALID_JSON"
        case .notObject(field: "body"), .missing(field: "type"), .notString(field: "type"):
            "INVALID_MESSAGE"
        case .unknownValue(field: "type", _): "UNKNOWN_TYPE"
        default: fault.code
        }
    }
}
