import Readings
import Testing

@testable import Meals

/// Frames of the meal sockets.
struct MealFrameTests {
    private static func decode(_ text: String) -> Result<MealFrameIn, MealFault> {
        Array(text.utf8).withUnsafeBytes { MealFrame.decode($0, now: MealRig.noon) }
    }

    @Test(arguments: [
        #"{"type":"message","content":"2 eggs","logged_at":"2026-01-23T08:00:00Z"}"#,
        #"{"type":"message","content":"2 eggs","logged_at":"2026-01-23T08:00:00Z","data":null}"#,
        #"{"type":"message","content":"2 eggs","logged_at":"2026-01-23T08:00:00Z","data":{}}"#,
        #"{"data":{"content":"2 eggs","logged_at":"2026-01-23T08:00:00Z"},"type":"message"}"#,
        """
        {"type":"message","data":{"logged_at":"2026-01-23T08:00:00Z","content":"2 eggs","x":[]},\
        "timestamp":"2026-01-23T14:30:00Z"}
        """,
    ])
    func `a message is read, its members beside the type or in data`(_ text: String) throws {
        guard case .message(let message) = try Self.decode(text).get() else {
            Issue.record("no message")
            return
        }
        #expect(message.content.text == "2 eggs")
        #expect(message.mealType == .snack)
        #expect(message.loggedAt == Timestamp(unixSeconds: 1_769_155_200))
    }

    @Test func `pings are read`() throws {
        #expect(try Self.decode(#"{"type":"ping","x":1}"#).get() == .ping)
        #expect(try Self.decode(#"{"type":"ping","data":null,"timestamp":""}"#).get() == .ping)
    }

    @Test(arguments: [
        ("2 eggs", MealType.snack), ("Breakfast: 2 eggs", .breakfast), ("had LUNCH, soup", .lunch),
        ("dinnerplate of soup", .snack), ("supper was tea", .dinner),
        ("a snack before lunch", .snack),
    ])
    func `a message names its meal, or none`(_ text: String, _ type: MealType) {
        #expect(MealMessage.mealType(saidIn: text) == type)
    }

    @Test(arguments: [
        ("x", "INVALID_JSON"), ("[]", "INVALID_MESSAGE"), ("{}", "INVALID_MESSAGE"),
        (#"{"type":7}"#, "INVALID_MESSAGE"), (#"{"type":"pong"}"#, "UNKNOWN_TYPE"),
        (#"{"type":"message"}"#, "VALIDATION_ERROR"),
        (#"{"type":"message","content":""}"#, "VALIDATION_ERROR"),
        (#"{"type":"message","data":{}}"#, "VALIDATION_ERROR"),
        (#"{"type":"message","data":"2 eggs"}"#, "VALIDATION_ERROR"),
        (#"{"type":"message","data":{"content":7}}"#, "VALIDATION_ERROR"),
        (#"{"type":"message","content":"egg","meal_type":"tea"}"#, "VALIDATION_ERROR"),
    ])
    func `a frame that can't be read is answered with a code`(_ text: String, _ code: String) {
        guard case .failure(let fault) = Self.decode(text) else {
            Issue.record("was read")
            return
        }
        let frame = MealFrame.error(fault, now: MealRig.noon)
        let subject = fault.field == "body" ? "message" : fault.field
        #expect(
            frame.hasPrefix("{\"type\":\"error\",\"data\":{\"error\":\"\(subject) "))
        #expect(frame.contains("\"code\":\"\(code)\"},\"error\":"))
        #expect(frame.hasSuffix("\"code\":\"\(code)\",\"timestamp\":\"2026-01-23T14:30:00Z\"}"))
    }

    @Test func `the connection's frames match the client`() {
        #expect(
            MealFrame.pong(now: MealRig.noon)
                == #"{"type":"pong","data":null,"timestamp":"2026-01-23T14:30:00Z"}"#)
        #expect(
            MealFrame.connected(user: "a\"b", consultation: nil, now: MealRig.noon)
                == """
                {"type":"connected","data":{"user_id":"a\\"b","consultation_id":null,\
                "timestamp":"2026-01-23T14:30:00Z"},"user_id":"a\\"b","consultation_id":null,\
                "timestamp":"2026-01-23T14:30:00Z"}
                """)
    }

    @Test func `only a message that was not logged is answered at once`() {
        #expect(MealFrame.reply(to: .created(json: "{}"), now: MealRig.noon) == nil)
        #expect(MealFrame.reply(to: .accepted(json: "{}"), now: MealRig.noon) == nil)
        let away = MealFrame.reply(to: .unavailable(retryAfter: .seconds(2.5)), now: MealRig.noon)
        #expect(away?.contains("SERVICE_UNAVAILABLE") == true)
        #expect(away?.contains("in 3 s") == true)
        let refused = MealFrame.reply(to: .refused(sqlState: "22P02"), now: MealRig.noon)
        #expect(refused?.contains("INTERNAL_ERROR") == true)
        #expect(refused?.contains("22P02") == false)
    }

    @Test(arguments: [
        (
            MealFault.negative(field: "items[0].fat_g"), "items[0].fat_g must not be negative",
            "VALIDATION_ERROR"
        ),
        (
            MealFault.notPositive(field: "items[0].quantity"),
            "items[0].quantity must be more than 0", "VALIDATION_ERROR"
        ),
        (MealFault.notJSON(offset: 3), "body is no JSON: fault at byte 3", "INVALID_JSON"),
    ])
    func `a fault says what is wrong`(fault: MealFault, message: String, code: String) {
        #expect(fault.message == message)
        #expect(fault.code == code)
    }
}
