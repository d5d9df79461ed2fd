public import Auth
public import HTTP
import HTTPTypes
public import Hummingbird
import Instruments
public import Media
import Synchronization

/// The checks of every upload before its body is read, for both systems: the form's boundary, the
/// declared length, the uploader's share of the day, free disk space, the key's quota, and the
/// limit of concurrent uploads.
public struct UploadAdmission: Sendable {
    private let places: PlaceCounter<Uploader>
    private let shares: UploadShares
    private let space: FreeSpace
    private let freeBytesMin: Int
    private let received: Counter

    /// About the duration of an upload.
    private static let retryAfter = Duration.seconds(2)
    /// An operator has to make room.
    private static let spaceRetryAfter = Duration.seconds(60)

    /// - Parameter space: free space of the file system to which uploads are written.
    init(_ configuration: RouteConfiguration, _ space: FreeSpace, _ registry: Registry) {
        let places = PlaceCounter<Uploader>(max: configuration.uploadsMax)
        self.places = places
        self.space = space
        freeBytesMin = configuration.freeBytesMin
        shares = UploadShares(
            bytesPerDay: configuration.uploadBytesPerDay,
            filesPerDay: configuration.uploadFilesPerDay)
        received = registry.counter(
            "sluice_upload_bytes_total", help: "Bytes of uploaded files that have been stored.")
        registry.gauge("sluice_uploads", help: "Uploads under way.") { Double(places.count) }
    }

    /// The boundary of a request's form.
    ///
    /// - Throws: ``RequestFailure/encodingUnsupported`` or a `MultipartError`.
    public func boundary(of request: Request) throws -> MultipartBoundary {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RequestFailure.encodingUnsupported }
        return try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
    }

    /// Checks the declared length, the uploader's share of the day, free space and the key's quota.
    ///
    /// - Parameter bytesMax: of the whole body, inclusive.
    public func checkLength(
        of request: Request, _ caller: Caller, from address: ClientAddress?, bytesMax: Int
    ) throws(RequestFailure) {
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

    /// Concurrent uploads are not added up: what they write becomes visible within a second.
    private func checkSpace(for bytes: Int) throws(RequestFailure) {
        guard let free = space.bytes, free - freeBytesMin < bytes else { return }
        throw .spaceShort(retryAfter: Self.spaceRetryAfter)
    }

    /// Takes one of the places for uploads, which limit the memory that uploads take.
    ///
    /// - Returns: the place, to be held during the upload.
    public func enter(
        _ caller: Caller, from address: ClientAddress?
    ) throws(RequestFailure) -> PlaceCounter<Uploader>.Place {
        do throws(SharedPlaces<Uploader>.Refusal) {
            let uploader = Uploader(caller, from: address)
            return try places.take(uploader == .anybody ? nil : uploader)
        } catch {
            switch error {
            case .full: throw .uploadsTooMany(retryAfter: Self.retryAfter)
            case .shareUsedUp: throw .uploadShareUsedUp(retryAfter: Self.retryAfter)
            }
        }
    }

    /// Passes the request's body to `intake`. A piece is requested when the previous one is
    /// written, and the router's side reads at most two ahead. With the current piece that makes
    /// 192 KiB a request.
    public func receive<Intake: UploadIntake>(
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

    /// Counts files that are stored and named.
    public func count(bytes: Int, files: Int, _ caller: Caller, from address: ClientAddress?) {
        received.increment(by: bytes)
        shares.spend(bytes: bytes, files: files, of: Uploader(caller, from: address))
    }
}
