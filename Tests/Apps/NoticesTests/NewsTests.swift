import Notices
import Testing

@Suite struct NewsTests {
    @Test(arguments: [
        ("7 -\n{}", 7 as Int64, nil as String?), ("8 c\n{\n}", 8, "c"),
    ])
    func `a notification is parsed`(_ payload: String, _ id: Int64, _ subject: String?) {
        let news = News(noticePayload: payload)
        #expect(news?.id == id)
        #expect(news?.subject == subject)
        #expect(news?.frame == String(payload.drop { $0 != "\n" }.dropFirst()))
    }

    @Test(arguments: ["", "{}", "7\n{}", "x -\n{}", "7 - -\n{}", "- c\n{}"])
    func `other payloads are no news`(_ payload: String) {
        #expect(News(noticePayload: payload) == nil)
    }
}
