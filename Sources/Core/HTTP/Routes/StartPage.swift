import HTTPTypes
import Hummingbird
import NIOCore

/// What a browser gets for `/`: links to the pages for people. It loads and runs nothing.
enum StartPage {
    private static let text = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Sluice</title>
        <h1>Sluice</h1>
        <p>This server takes telemetry and writes it to PostgreSQL.</p>
        <ul>
        <li><a href="status">Status</a>: rates, latencies, lanes, last positions</li>
        <li><a href="docs">Routes</a>: what may be sent, and what is answered</li>
        <li><a href="metrics">Metrics</a>, for Prometheus</li>
        <li><a href="health">Health</a>, for load balancers</li>
        </ul>
        </html>

        """

    static var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .vary: "Accept",
                .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
                .xContentTypeOptions: "nosniff",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
