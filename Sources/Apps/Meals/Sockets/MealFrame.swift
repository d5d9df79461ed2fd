public import Readings

/// The frames of `/ws/meal-logs` and `/api/v1/consultations/{id}/ws`, in and out.
///
/// Every frame out is `{"type", "data", "timestamp"}`; those of results are rendered where the result
/// is made, in `sluice.finish_meal_log`'s caller.
public enum MealFrame {
    /// The client's types.
    private enum Kind: String, CaseIterable {
        case ping
        case message
    }

    /// Reads one text frame.
    ///
    /// - Parameters:
    ///   - bytes: on loan; at most ``Meals/frameBytesMax``.
    ///   - now: what a message's `logged_at` may not lie ahead of.
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

    /// The first frame of a socket. The shipped client reads the ids beside `data`.
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

    /// Something went wrong; the socket stays open.
    public static func error(_ message: String, code: String, now: Timestamp) -> String {
        error(message, code: code, suggestions: nil, now: now)
    }

    /// A frame that can't be read.
    public static func error(_ fault: MealFault, now: Timestamp) -> String {
        error(message(fault), code: code(fault), suggestions: nil, now: now)
    }

    /// What is said at once to a message that was offered to the lanes; nil when it is logged: its
    /// result follows as a notice.
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

    /// What is a request's body elsewhere is the message here.
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

/// A frame that a client sent on a meal socket.
public enum MealFrameIn: Sendable, Equatable {
    /// To be answered with a pong.
    case ping
    /// Something that was written.
    case message(MealMessage)
}

/// What a user writes on a consultation's socket: `{"type":"message","content":…}`, with the
/// optional `meal_type` and `logged_at` of a log; or the same members in `data`, as all frames that
/// go out have theirs.
public struct MealMessage: Sendable, Equatable {
    let content: MealText
    let mealType: MealType
    let loggedAt: Timestamp?

    init(_ frame: JSONObject, now: Timestamp) throws(MealFault) {
        let object = try frame.value("content") == nil ? frame.object("data") ?? frame : frame
        let content = try MealText(try object.text("content"), field: "content")
        self.content = content
        let type = try object.text("meal_type")
        mealType =
            try type == nil
            ? Self.mealType(saidIn: content.text)
            : MealFault.oneOf(MealType.self, type, field: "meal_type")
        loggedAt = try RequestTime.eaten(try object.text("logged_at"), now: now)
    }

    /// The first meal of the day that the text names, else a snack: what people eat between.
    static func mealType(saidIn text: String) -> MealType {
        let words = text.lowercased().split { !$0.isLetter }
        for word in words {
            switch word {
            case "breakfast", "brunch": return .breakfast
            case "lunch": return .lunch
            case "dinner", "supper": return .dinner
            case "snack": return .snack
            default: continue
            }
        }
        return .snack
    }
}
