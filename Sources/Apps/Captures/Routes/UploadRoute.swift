import Auth
import HTTP
import Hummingbird
import JSONText
import Media
import NIOCore
import Uploads

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
    private let files: FileServices
    private let publicURL: PublicURL?

    /// Time for the database, from the body's end: shipped clients give up 30 s after the start.
    private static let commitTime = Duration.seconds(4)

    init(_ services: CaptureServices, _ files: FileServices) {
        self.services = services
        self.files = files
        door = RouteGuard(access: services.access, scope: .captures)
        publicURL = files.configuration.publicURL.flatMap(PublicURL.init(configured:))
    }

    var route: Route {
        .post("/upload/{capture_id}", label: "/upload", in: .upload) { request, context in
            try await upload(
                request, try context.parameters.require("capture_id"),
                from: context.channel)
        }
    }

    private func upload(
        _ request: Request, _ component: String, from channel: any Channel
    ) async throws -> Response {
        let address = ClientAddress(channel)
        let caller = try await door.admit(request)
        let id = try CapturePath.captureID(component)
        let base =
            try publicURL
            ?? PublicURL(
                of: request, from: channel, trusting: files.configuration.trustedProxies)
        let desk = files.uploads
        let boundary = try desk.boundary(of: request)
        let bytesMax = files.configuration.captureBytesMax + RouteConfiguration.otherPartsBytesMax
        try desk.checkLength(of: request, caller, from: address, bytesMax: bytesMax)
        let place = try desk.enter(caller, from: address)
        defer { withExtendedLifetime(place) {} }
        let finished = try await desk.receive(
            request,
            CaptureUpload(
                into: services.media.store, inspector: services.inspector,
                client: InspectionClient(caller, from: address, user: caller.user ?? "anybody"),
                boundary: boundary,
                fileBytesMax: files.configuration.captureBytesMax))
        let path = try await services.media.commit(
            finished.object, ofCapture: id, as: finished.file,
            contentType: finished.contentType, owner: caller.user,
            within: Self.commitTime)
        desk.count(bytes: finished.object.bytes, files: 1, caller, from: address)
        return answer(base.text + "/media/" + path.text, id)
    }

    private func answer(_ url: String, _ id: String) -> Response {
        Response.json(
            .ok,
            "{\"status\":\"success\",\"url\":\(JSONString.quoted(url)),"
                + "\"captureId\":\(JSONString.quoted(id))}")
    }
}
