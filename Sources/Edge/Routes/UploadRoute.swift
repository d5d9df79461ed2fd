import Access
import HTTPTypes
import Hummingbird
import Media
import NIOCore

/// `POST /upload/{capture_id}`: a capture's photo or recording, as `multipart/form-data`.
///
/// The body is stored as it arrives. Requests that can be rejected from the head alone are rejected
/// there: caller, id, content type, declared length, the uploader's share, free space, the key's
/// quota, the limit of concurrent uploads. A row names the file only when all of it is durable; the
/// sweeper removes files of uploads that are rejected later. So a failure at any point leaves
/// either the whole new file or the previous one.
///
/// With a token, the id is the uploader's own. Without one, the file belongs to the capture that
/// names the answer's URL. Nobody's file is replaced by another user's: the new file then gets
/// another path, and the answer's URL names that path.
struct UploadRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard
    private let desk: UploadDesk
    private let publicURL: PublicURL?

    /// Time for the database, from the body's end: shipped clients give up 30 s after the start.
    private static let commitTime = Duration.seconds(4)

    init(_ services: CaptureServices, _ desk: UploadDesk) {
        self.services = services
        self.desk = desk
        door = RouteGuard(access: services.access, scope: .captures)
        publicURL = services.configuration.publicURL.flatMap(PublicURL.init(configured:))
    }

    func add(to router: Router<RouteContext>) {
        router.post("/upload/{capture_id}") { request, context in
            try await upload(
                request, try context.parameters.require("capture_id"),
                from: ClientAddress(context.channel))
        }
    }

    private func upload(
        _ request: Request, _ component: String, from address: ClientAddress?
    ) async throws -> Response {
        let caller = try await door.admit(request)
        let id = try PathText.captureID(component)
        let base = try publicURL ?? PublicURL(of: request)
        let boundary = try desk.boundary(of: request)
        let bytesMax =
            services.configuration.captureBytesMax + RouteConfiguration.otherPartsBytesMax
        try desk.checkLength(of: request, caller, from: address, bytesMax: bytesMax)
        try desk.enter(caller)
        defer { desk.leave(caller) }
        let finished = try await desk.receive(
            request,
            CaptureUpload(
                into: services.media.store, inspector: services.inspector,
                user: caller.user ?? "anybody", boundary: boundary,
                fileBytesMax: services.configuration.captureBytesMax))
        let path = try await services.media.commit(
            finished.object, ofCapture: id, as: finished.file,
            contentType: finished.contentType, owner: caller.user,
            within: Self.commitTime)
        desk.count(bytes: finished.object.bytes, files: 1, caller, from: address)
        return answer(base.text + "/media/" + path.text, id)
    }

    private func answer(_ url: String, _ id: String) -> Response {
        var body = ByteBuffer()
        body.writeStaticString("{\"status\":\"success\",\"url\":")
        body.writeJSON(url)
        body.writeStaticString(",\"captureId\":")
        body.writeJSON(id)
        body.writeStaticString("}")
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: body))
    }
}
