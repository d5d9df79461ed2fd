import HTTPTypes
import Hummingbird
import NIOCore

/// `docs.html` beside this file: one page that reads `/openapi.json` and shows it.
///
/// Its policy lets it load only that document, and run and show only its own scripts and styles.
/// These are marked with a nonce that is made for each answer.
struct DocumentationPage {
    private static let text = String(decoding: Embedded.docs_html, as: UTF8.self)
    /// Replaced by the nonce.
    static let placeholder = "NONCE"

    let response: Response

    init() {
        let nonce =
            String(UInt64.random(in: 0...UInt64.max), radix: 36)
            + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let page = Self.text.replacing(Self.placeholder, with: nonce)
        let policy = """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; \
            img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        response = Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                .xContentTypeOptions: "nosniff", .cacheControl: "no-cache",
                HTTPField.Name("Referrer-Policy")!: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
}
