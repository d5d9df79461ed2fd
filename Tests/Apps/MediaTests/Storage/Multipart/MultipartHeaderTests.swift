import Media
import Testing

struct MultipartHeaderTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Form-Data ; charset=utf-8 ; Boundary=\"a b\"", "a b"),
        ("multipart/form-data; boundary=\"a\\\"b\"", nil),
        ("multipart/form-data;boundary=----WebKitFormBoundaryAbC", "----WebKitFormBoundaryAbC"),
        (
            "multipart/form-data; boundary=\(String(repeating: "x", count: 70))",
            String(repeating: "x", count: 70)
        ),
        ("multipart/form-data; boundary='()+_,-./:=?", "'()+_,-./:=?"),
    ])
    func `the boundary is in the content type`(type: String, expected: String?) {
        #expect((try? MultipartBoundary(contentType: type))?.text == expected)
    }

    @Test(arguments: [
        ("multipart/form-data", MultipartError.boundaryMissing),
        ("multipart/form-data; charset=utf-8", .boundaryMissing),
        ("multipart/form-data; boundary=", .boundaryInvalid),
        ("multipart/form-data; boundary=\"\"", .boundaryInvalid),
        ("multipart/form-data; boundary=\"a \"", .boundaryInvalid),
        ("multipart/form-data; boundary=\"a\tb\"", .boundaryInvalid),
        ("multipart/form-data; boundary=ä", .boundaryInvalid),
        ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", .boundaryInvalid),
        ("multipart/mixed; boundary=abc", .notFormData),
        ("application/json", .notFormData),
        ("", .notFormData),
        ("multipart/form-data; boundary=\"abc", .notFormData),
    ])
    func `another content type has none`(type: String, expected: MultipartError) {
        #expect(throws: expected) { try MultipartBoundary(contentType: type) }
    }

    private func header(_ lines: String...) throws -> PartHeader {
        let text = "--b\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n\r\n--b--"
        let parts = try ReadPart.all(Array(text.utf8), boundary: MultipartBoundary("b"))
        return try #require(parts.first).header
    }

    @Test(
        arguments: [
            ("name=a", "a", nil), ("name=\"a\"", "a", nil), ("name=\"\"", "", nil),
            ("name=\"a b; c=d\"; filename=\"x;y\"", "a b; c=d", "x;y"),
            ("filename=\"x\"; name=\"a\"", "a", "x"),
            ("NAME=a; FileName=x", "a", "x"),
            ("name=\"a\";filename=\"C:\\dir\\x.jpg\"", "a", "C:\\dir\\x.jpg"),
            ("name=\"a\"; filename=\"x\\\"y\"", "a", "x\"y"),
            ("name=\"a\"; filename=\"x%22y%0d%0A%41\"", "a", "x\"y\r\n%41"),
            ("name=\"a\"; filename=\"100%\"", "a", "100%"),
            ("name=\"a\"; filename=\"x\\\"", "a", "x\\"),
            ("name=\"a\"; filename=x y.jpg ", "a", "x y.jpg"),
            ("name=\"a\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "a", "€ rates.txt"),
            ("name=\"a\"; filename=\"plain\"; filename*=utf-8'en'%C3%A4", "a", "ä"),
            ("name=\"a\"; filename*=ISO-8859-1''%E4", "a", "ä"),
            ("name=\"a\"; filename=\"plain\"; filename*=UTF-8''%E4", "a", "plain"),
            ("name=\"a\"; filename=\"plain\"; filename*=KOI8-R''x", "a", "plain"),
            ("name=a; name=b;", "a", nil),
            ("name=\"a\"; filename=\"../../etc/passwd\"", "a", "../../etc/passwd"),
        ] as [(String, String, String?)])
    func `names lose their quotes and escapes`(
        parameters: String, name: String, filename: String?
    ) throws {
        let header = try header("Content-Disposition: form-data; \(parameters)")
        #expect(header == PartHeader(name: name, filename: filename))
    }

    @Test func `a type is lower-cased and loses its parameters`() throws {
        let header = try header(
            "CONTENT-DISPOSITION: Form-Data; name=a", "content-type: Image/JPEG; q=1",
            "Content-Transfer-Encoding: Binary")
        #expect(header.contentType == "image/jpeg")
        let odd = try self.header("Content-Disposition: form-data; name=a", "Content-Type: ???")
        #expect(odd.contentType == nil)
    }

    @Test(
        arguments: [
            ("a.JPG", "jpg"), ("a.tar.gz", "gz"), (".hidden", nil), ("none", nil), ("dot.", nil),
            ("C:\\a.b\\c", nil), ("/x.y/z.png", "png"), ("", nil),
        ] as [(String, String?)])
    func `an extension is the last component's`(filename: String, expected: String?) {
        #expect(PartHeader(name: "f", filename: filename).fileExtension == expected)
    }
}
