/// Texts of events, each as it is sent and as it is stored.
enum Phrases {
    /// The inside of a JSON string, and the text it encodes.
    struct Phrase: Sendable {
        let json: String
        let text: String

        init(_ json: String, _ text: String? = nil) {
            self.json = json
            self.text = text ?? json
        }
    }

    /// The first five are plain ASCII, for the throughput runs.
    static let labels: [Phrase] = [
        Phrase("motion_state"), Phrase("app_opened"), Phrase("geofence_entered"),
        Phrase("battery_level"), Phrase("screen_locked"),
        Phrase("caf\\u00e9", "café"), Phrase("北京"), Phrase("tab\\there", "tab\there"),
    ]
    static let plainLabels = 5

    static let texts: [Phrase] = [
        Phrase("walking"), Phrase("running"), Phrase("stationary"), Phrase("automotive"),
        Phrase("cycling"),
        Phrase(""), Phrase("\\ud83d\\ude80 \\\"up\\\"", "🚀 \"up\""),
        Phrase("line\\nbreak \\/ slash \\\\", "line\nbreak / slash \\"),
        Phrase("naïve – Ω ≠ 😀"),
        Phrase(String(repeating: "long ", count: 60)),
    ]
    static let plainTexts = 5

    /// JSON objects as they are sent, and as PostgreSQL prints them from `jsonb`.
    static let metadata: [Phrase] = [
        Phrase(#"{"source":"phone","n":1}"#, #"{"n": 1, "source": "phone"}"#),
        Phrase(#"{"confidence":"high"}"#, #"{"confidence": "high"}"#),
        Phrase(#"{}"#),
        Phrase(
            #"{"b":[1,2.50,{"x":null}],"a":true}"#, #"{"a": true, "b": [1, 2.50, {"x": null}]}"#),
        Phrase(#"{"k":1,"k":"last"}"#, #"{"k": "last"}"#),
        Phrase(#"{"e":1e3,"f":-1.5E-2}"#, #"{"e": 1000, "f": -0.015}"#),
        Phrase(#"{"\u00fcber":"\u00e9","q":"a\"b\\c\n"}"#, #"{"q": "a\"b\\c\n", "über": "é"}"#),
    ]
    static let plainMetadata = 2
}
