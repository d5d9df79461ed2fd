import Access
import HTTPTypes
import Hummingbird
import Instruments
import MediaStorage
import NIOCore

/// What every upload passes before its body is read, whichever system it is for: the form's
/// boundary, the declared length, the key's quota, and one of the places that all uploads share.
struct UploadDesk: Sendable {
    private let gate: UploadGate
    private let memory = UploadMemory()
    private let received: Counter

    /// An upload takes about that long.
    private static let retryAfter = Duration.seconds(2)

    /// - Parameter uploadsMax: at a time, of all systems together.
    init(uploadsMax: Int, _ registry: Registry) {
        let gate = UploadGate(uploadsMax: uploadsMax)
        self.gate = gate
        received = registry.counter(
            "sluice_upload_bytes_total", help: "Bytes of files that were uploaded and named.")
        registry.gauge("sluice_uploads", help: "Uploads under way.") { Double(gate.count) }
    }

    /// - Throws: ``RouteFailure/encodingUnsupported`` or a `MultipartError`.
    func boundary(of request: Request) throws -> MultipartBoundary {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RouteFailure.encodingUnsupported }
        return try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
    }

    /// What the head says of the body's length, as far as it does.
    ///
    /// - Parameter bytesMax: of the whole body, inclusive.
    func checkLength(
        of request: Request, _ caller: Caller, bytesMax: Int
    ) throws(RouteFailure) {
        let bytes = request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
        guard bytes <= bytesMax else { throw .bodyTooLarge(bytesMax: bytesMax) }
        if case .key(let account) = caller, let wait = account.spend(bytes) {
            throw .quotaUsedUp(retryAfter: wait)
        }
    }

    /// Takes one of the places; to be balanced with ``leave(_:)``.
    func enter(_ caller: Caller) throws(RouteFailure) {
        switch gate.enter(caller) {
        case .entered: break
        case .full: throw .uploadsTooMany(retryAfter: Self.retryAfter)
        case .shareUsedUp: throw .uploadShareUsedUp(retryAfter: Self.retryAfter)
        }
    }

    func leave(_ caller: Caller) { gate.leave(caller) }

    /// Gives the request's body to `intake`, on the threads that write its files: where a piece is
    /// taken apart it is also hashed and written, and no thread hands it to another.
    func receive<Intake: UploadIntake>(
        _ request: Request, on channel: any Channel, by disk: DiskThreads,
        _ intake: consuming sending Intake
    ) async throws -> Intake.Outcome {
        var intake = intake
        let beginning = UploadBody.Beginning(of: request, on: channel, memory)
        return try await disk.host {
            var body = UploadBody(of: request, beginning)
            do {
                while let piece = try await body.next() {
                    try await intake.take(piece)
                    body.recycle(consume piece)
                }
                return try await intake.finish()
            } catch {
                body.abandon()
                await intake.abort()
                throw error
            }
        }
    }

    /// Files of so many bytes are stored and named.
    func count(_ bytes: Int) { received.increment(by: bytes) }
}
