import Testing

@testable import HTTP
@testable import HTTPSupport
@testable import JournalRoutes

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        ("image0.jpg", "inline; filename=\"image0.jpg\""),
        ("my photo.jpg", "inline; filename=\"my photo.jpg\""),
        (
            "naïve €.jpg",
            "inline; filename=\"na_ve _.jpg\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.jpg"
        ),
        ("a\"b.jpg", "inline; filename=\"a_b.jpg\"; filename*=UTF-8''a%22b.jpg"),
        ("a\\b.jpg", "inline; filename=\"a_b.jpg\"; filename*=UTF-8''a%5Cb.jpg"),
        ("100%41.jpg", "inline; filename=\"100_41.jpg\"; filename*=UTF-8''100%2541.jpg"),
        ("a\r\nx: y.jpg", "inline; filename=\"a__x: y.jpg\"; filename*=UTF-8''a%0D%0Ax%3A%20y.jpg"),
        ("", "inline; filename=\"\""),
    ])
    func `a name in a header can't break it`(name: String, text: String) {
        #expect(ContentDisposition(isInline: true, name: name).text == text)
    }

    @Test func `files that are not shown inline are offered as downloads`() {
        #expect(
            ContentDisposition(isInline: false, name: "a").text == "attachment; filename=\"a\"")
    }

    @Test func `no name puts a control character into a header`() {
        for byte in UInt8.min...UInt8.max {
            let name = "a" + String(UnicodeScalar(byte)) + "b"
            let text = ContentDisposition(isInline: true, name: name).text
            #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(byte)")
            #expect(text.filter { $0 == "\"" }.count == 2)
        }
    }
}
