import Access
import HTTPTypes
import Hummingbird
import Instruments
import MediaStorage

/// What every upload passes before its body is read, whichever system it is for: the form's
/// boundary, the declared length, the uploader's share of the day, the room on the disk, the key's
/// quota, and one of the places that all uploads share.
struct UploadDesk: Sendable {
    private let gate: UploadGate
    private let shares: UploadShares
    private let space: FreeSpace
    private let freeBytesMin: Int
    private let received: Counter

    /// An upload takes about that long.
    private static let retryAfter = Duration.seconds(2)
    /// Somebody has to make room.
    private static let spaceRetryAfter = Duration.seconds(60)

    /// - Parameter space: where uploads are written.
    init(_ configuration: RouteConfiguration, _ space: FreeSpace, _ registry: Registry) {
        let gate = UploadGate(uploadsMax: configuration.uploadsMax)
        self.gate = gate
        self.space = space
        freeBytesMin = configuration.freeBytesMin
        shares = UploadShares(
            bytesPerDay: configuration.uploadBytesPerDay,
            filesPerDay: configuration.uploadFilesPerDay)
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
        of request: Request, _ caller: Caller, from address: ClientAddress?, bytesMax: Int
    ) throws(RouteFailure) {
        let bytes = request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
        guard bytes <= bytesMax else { throw .bodyTooLarge(bytesMax: bytesMax) }
        if let wait = shares.refusal(Uploader(caller, from: address)) {
            throw .dayShareUsedUp(retryAfter: wait)
        }
        try checkSpace(for: bytes)
        if case .key(let account) = caller, let wait = account.spend(bytes) {
            throw .quotaUsedUp(retryAfter: wait)
        }
    }

    /// Uploads under way are not added up: what they write shows within a second.
    private func checkSpace(for bytes: Int) throws(RouteFailure) {
        guard let free = space.bytes, free - freeBytesMin < bytes else { return }
        throw .spaceShort(retryAfter: Self.spaceRetryAfter)
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

    /// Gives the request's body to `intake`. A piece is asked for when the one before is written, and
    /// the router's side reads no more than two ahead: with the piece in hand 192 KiB a request.
    func receive<Intake: UploadIntake>(
        _ request: Request, _ intake: Intake
    ) async throws -> Intake.Outcome {
        var intake = intake
        do {
            for try await piece in request.body {
                try checkSpace(for: piece.readableBytes)
                try await intake.take(piece)
            }
            return try await intake.finish()
        } catch {
            await intake.abort()
            throw error
        }
    }

    /// Files are stored and named.
    func count(bytes: Int, files: Int, _ caller: Caller, from address: ClientAddress?) {
        received.increment(by: bytes)
        shares.spend(bytes: bytes, files: files, of: Uploader(caller, from: address))
    }
}
