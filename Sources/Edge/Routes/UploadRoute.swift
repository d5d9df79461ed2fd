import Access
import HTTPTypes
import Hummingbird
import Instruments
import Logging
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
    private let gate: UploadGate
    private let received: Counter
    private let publicURL: PublicURL?

    /// An upload takes about that long.
    private static let gateRetryAfter = Duration.seconds(2)

    init(_ services: CaptureServices, _ registry: Registry) {
        self.services = services
        door = RouteGuard(access: services.access, scope: .captures)
        let gate = UploadGate(uploadsMax: services.configuration.uploadsMax)
        self.gate = gate
        publicURL = services.configuration.publicURL.flatMap(PublicURL.init(configured:))
        received = registry.counter(
            "sluice_upload_bytes_total", help: "Bytes of files that were uploaded and named.")
        registry.gauge("sluice_uploads", help: "Uploads under way.") { Double(gate.count) }
    }

    func add(to router: Router<RouteContext>) {
        router.post("/upload/{capture_id}") { request, context in
            try await upload(request, try context.parameters.require("capture_id"))
        }
    }

    private func upload(_ request: Request, _ component: String) async throws -> Response {
        let caller = try await door.admit(request)
        let id = try PathText.captureID(component)
        let base = try publicURL ?? PublicURL(of: request)
        let boundary = try self.boundary(request)
        try checkLength(request, caller)
        switch gate.enter(caller) {
        case .entered: break
        case .full: throw RouteFailure.uploadsTooMany(retryAfter: Self.gateRetryAfter)
        case .shareUsedUp: throw RouteFailure.uploadShareUsedUp(retryAfter: Self.gateRetryAfter)
        }
        defer { gate.leave(caller) }
        try await checkOwner(id, caller)
        let finished = try await receive(request.body, boundary)
        guard let path = MediaPath(capture: id, file: finished.file) else {
            preconditionFailure("BUG: \(id.utf8.count) bytes of id")
        }
        let isOurs = try await services.media.commit(
            finished.object, as: path, contentType: finished.contentType.rawValue,
            owner: caller.user)
        guard isOurs else { throw RouteFailure.forbidden }
        received.increment(by: finished.object.bytes)
        return answer(base.text + "/media/" + path.text, id)
    }

    private func boundary(_ request: Request) throws -> MultipartBoundary {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RouteFailure.encodingUnsupported }
        return try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
    }

    private func checkLength(_ request: Request, _ caller: Caller) throws(RouteFailure) {
        let bytesMax =
            services.configuration.captureBytesMax + RouteConfiguration.otherPartsBytesMax
        let bytes = request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
        guard bytes <= bytesMax else { throw .bodyTooLarge(bytesMax: bytesMax) }
        if case .key(let account) = caller, let wait = account.spend(bytes) {
            throw .quotaUsedUp(retryAfter: wait)
        }
    }

    /// A capture may have come before its files.
    private func checkOwner(_ id: String, _ caller: Caller) async throws {
        guard caller.user != nil, let owner = try await services.owner(ofCapture: id)
        else { return }
        guard caller.mayReach(owner) else { throw RouteFailure.forbidden }
    }

    private func receive(
        _ body: RequestBody, _ boundary: MultipartBoundary
    ) async throws -> CaptureUpload.Finished {
        var upload = CaptureUpload(
            into: services.media.store, boundary: boundary,
            fileBytesMax: services.configuration.captureBytesMax)
        do {
            for try await chunk in body { try await upload.take(chunk) }
            return try await upload.finish()
        } catch {
            await upload.abort()
            throw error
        }
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
