import Access
import HTTPTypes
import Hummingbird
import MediaStorage
import NIOCore

/// `POST /upload/{capture_id}`: a capture's photo or recording, as `multipart/form-data`.
///
/// The body goes to the store as it arrives. What can be refused from the head alone is refused
/// there: caller, id, content type, declared length, one upload too many, the key's quota, somebody
/// else's capture. A row names the file only when all of it is durable; what is refused after that
/// is left to the sweeper. So whatever happens on the way, either the whole file is served or what
/// was there before.
struct UploadRoute: Sendable {
    private let services: CaptureServices
    private let door: RouteGuard
    private let desk: UploadDesk
    private let publicURL: PublicURL?

    init(_ services: CaptureServices, _ desk: UploadDesk) {
        self.services = services
        self.desk = desk
        door = RouteGuard(access: services.access, scope: .captures)
        publicURL = services.configuration.publicURL.flatMap(PublicURL.init(configured:))
    }

    func add(to router: Router<RouteContext>) {
        router.post("/upload/{capture_id}") { request, context in
            try await upload(request, try context.parameters.require("capture_id"))
        }
    }

    private func upload(
        _ request: Request, _ component: String
    ) async throws -> Response {
        let caller = try await door.admit(request)
        let id = try PathText.captureID(component)
        let base = try publicURL ?? PublicURL(of: request)
        let boundary = try desk.boundary(of: request)
        let bytesMax =
            services.configuration.captureBytesMax + RouteConfiguration.otherPartsBytesMax
        try desk.checkLength(of: request, caller, bytesMax: bytesMax)
        try desk.enter(caller)
        defer { desk.leave(caller) }
        try await checkOwner(id, caller)
        let finished = try await desk.receive(
            request,
            CaptureUpload(
                into: services.media.store, boundary: boundary,
                fileBytesMax: services.configuration.captureBytesMax))
        guard let path = MediaPath(capture: id, file: finished.file) else {
            preconditionFailure("BUG: \(id.utf8.count) bytes of id")
        }
        let isOurs = try await services.media.commit(
            finished.object, as: path, contentType: finished.contentType.rawValue,
            owner: caller.user)
        guard isOurs else { throw RouteFailure.forbidden }
        desk.count(finished.object.bytes)
        return answer(base.text + "/media/" + path.text, id)
    }

    /// A capture may have come before its files.
    private func checkOwner(_ id: String, _ caller: Caller) async throws {
        guard caller.user != nil, let owner = try await services.owner(ofCapture: id)
        else { return }
        guard caller.mayReach(owner) else { throw RouteFailure.forbidden }
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
