import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A JSON text that is ready.
    static func json(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// An error in the envelope of the system that it belongs to.
    static func error(
        _ status: HTTPResponse.Status, _ sentence: String,
        _ problem: ErrorProblem = ErrorProblem(), in envelope: ErrorEnvelope
    ) -> Response {
        var body = ByteBuffer()
        envelope.write(sentence, status: status.code, problem, to: &body)
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body))
    }
}
