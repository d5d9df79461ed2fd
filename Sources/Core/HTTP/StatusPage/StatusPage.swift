import HTTPTypes
import Hummingbird
import NIOCore

/// The status page and its files, from this folder.
enum StatusPage {
    /// Scripts, styles and the icon are loaded from this server only, and reports, positions and
    /// the form go to it only. Nothing else is loaded, run or shown, and text can't become markup.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """
    /// Replaced by how the viewer was admitted.
    private static let accessPlaceholder = "ACCESS"
    private static let messagePlaceholder = "MESSAGE"

    private static let text = String(decoding: Embedded.page_html, as: UTF8.self)
    private static let signInText = String(decoding: Embedded.sign_in_html, as: UTF8.self)

    /// - Parameter isSession: the viewer can sign out.
    static func page(isSession: Bool) -> Response {
        html(.ok, text.replacing(accessPlaceholder, with: isSession ? "session" : "open"))
    }

    /// - Parameter message: the fault of the last try; fixed text only, since it is not escaped.
    static func signIn(
        status: HTTPResponse.Status = .unauthorized, message: String = ""
    ) -> Response {
        var response = html(status, signInText.replacing(messagePlaceholder, with: message))
        if status == .unauthorized { response.headers[.wwwAuthenticate] = RequestFailure.challenge }
        return response
    }

    private static func html(_ status: HTTPResponse.Status, _ text: String) -> Response {
        var response = Response(
            status: status, headers: headers("text/html; charset=utf-8"),
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentSecurityPolicy] = policy
        return response
    }

    private static func headers(_ contentType: String) -> HTTPFields {
        [
            .contentType: contentType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            // With no referrer policy that sends an origin, a browser would not say where the form
            // comes from.
            HTTPField.Name("Referrer-Policy")!: "same-origin",
            HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
        ]
    }

    /// A file of `/status/page/`; none holds a secret.
    enum Part: String, CaseIterable {
        case style = "page.css"
        case script = "page.js"
        case figures = "figures.js"
        case stream = "stream.js"
        case plot = "plot.js"
        case map = "map.js"
        case world = "world.js"
        case icon = "icon.svg"

        private var bytes: [UInt8] {
            switch self {
            case .style: Embedded.page_css
            case .script: Embedded.page_js
            case .figures: Embedded.figures_js
            case .stream: Embedded.stream_js
            case .plot: Embedded.plot_js
            case .map: Embedded.map_js
            case .world: Embedded.world_js
            case .icon: Embedded.icon_svg
            }
        }

        private var contentType: String {
            switch self {
            case .style: "text/css; charset=utf-8"
            case .icon: "image/svg+xml"
            default: "text/javascript; charset=utf-8"
            }
        }

        var response: Response {
            Response(
                status: .ok, headers: StatusPage.headers(contentType),
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
