/// The bodies of section B: `{"data":…}`, and `{"error":{"message","code"}}`.
public enum MealEnvelope {
    /// - Parameter json: a whole value.
    public static func data(_ json: String) -> String {
        "{\"data\":\(json)}"
    }

    /// - Parameters:
    ///   - message: for people.
    ///   - code: for programs: `FORBIDDEN`.
    public static func error(_ message: String, code: String) -> String {
        JSONWriter.object { json in
            json.key("error")
            json.object { json in
                json.field("message", message)
                json.field("code", code)
            }
        }
    }

    /// Status 400; the message names the field.
    public static func error(_ fault: MealFault) -> String {
        error(fault.message, code: fault.code)
    }
}
