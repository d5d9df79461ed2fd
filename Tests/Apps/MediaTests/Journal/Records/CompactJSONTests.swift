import Testing

@testable import Media

struct CompactJSONTests {
    @Test(arguments: [
        (#"{"success" : true, "count" : 0}"#, #"{"success":true,"count":0}"#),
        ("[1, \n {\"a\" : null}]", #"[1,{"a":null}]"#),
        (#"{"note" : "a : b,  c"}"#, #"{"note":"a : b,  c"}"#),
        (#"{"note" : "say \" : \\", "b" : 1}"#, #"{"note":"say \" : \\","b":1}"#),
        (#"{"note" : "\\\" x", "b" : ""}"#, #"{"note":"\\\" x","b":""}"#),
        ("{\"mood\" : \"\u{1F600} ä\"}", "{\"mood\":\"\u{1F600} ä\"}"), ("", ""),
    ])
    func `spaces between tokens go, those in strings stay`(_ json: String, _ compact: String) {
        #expect(CompactJSON.text(json) == compact)
    }
}
