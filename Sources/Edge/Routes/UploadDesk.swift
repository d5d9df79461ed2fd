import Access
import HTTPTypes
import Hummingbird
import Instruments
import Media
import Synchronization

/// The checks of every upload before its body is read, for both systems: the form's boundary, the
/// declared length, the uploader's share of the day, free disk space, the key's quota, and the
/// limit of concurrent uploads.
struct UploadDesk: Sendable {
    private let gate: UploadGate
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
        let gate = UploadGate(uploadsMax: configuration.uploadsMax)
        self.gate = gate
        self.space = space
        freeBytesMin = configuration.freeBytesMin
        shares = UploadShares(
            bytesPerDay: configuration.uploadBytesPerDay,
            filesPerDay: configuration.uploadFilesPerDay)
        received = registry.counter(
            "sluice_upload_bytes_total", help: "Bytes of uploaded files that have been stored.")
        registry.gauge("sluice_uploads", help: "Uploads under way.") { Double(gate.count) }
    }

    /// - Throws: ``RouteFailure/encodingUnsupported`` or a `MultipartError`.
    func boundary(of request: Request) throws -> MultipartBoundary {
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true
        else { throw RouteFailure.encodingUnsupported }
        return try MultipartBoundary(contentType: request.headers[.contentType] ?? "")
    }

    /// Checks the declared length, the uploader's share of the day, free space and the key's quota.
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

    /// Concurrent uploads are not added up: what they write becomes visible within a second.
    private func checkSpace(for bytes: Int) throws(RouteFailure) {
        guard let free = space.bytes, free - freeBytesMin < bytes else { return }
        throw .spaceShort(retryAfter: Self.spaceRetryAfter)
    }

    /// Takes one of the places for uploads. Balance with ``leave(_:)``.
    func enter(_ caller: Caller) throws(RouteFailure) {
        switch gate.enter(caller) {
        case .entered: break
        case .full: throw .uploadsTooMany(retryAfter: Self.retryAfter)
        case .shareUsedUp: throw .uploadShareUsedUp(retryAfter: Self.retryAfter)
        }
    }

    func leave(_ caller: Caller) { gate.leave(caller) }

    /// Passes the request's body to `intake`. A piece is requested when the previous one is
    /// written, and the router's side reads at most two ahead. With the current piece that makes
    /// 192 KiB a request.
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

    /// Counts files that are stored and named.
    func count(bytes: Int, files: Int, _ caller: Caller, from address: ClientAddress?) {
        received.increment(by: bytes)
        shares.spend(bytes: bytes, files: files, of: Uploader(caller, from: address))
    }
}

/// Limits the concurrent uploads, and so the memory they take; also how many of them belong to one
/// caller, so that nobody keeps all others out.
final class UploadGate: Sendable {
    /// The answer to a request for a place.
    enum Entry: Equatable {
        case entered
        /// No place is free.
        case full
        /// This caller has enough of the places; others may enter.
        case shareUsedUp
    }

    private struct State {
        var count = 0
        /// Places by caller; callers without one are absent.
        var counts: [Uploader: Int] = [:]
    }

    let uploadsMax: Int
    private let state = Mutex(State())

    /// A caller may have this many times the free places: the rule of
    /// ``KeyAccount/reserve(_:free:)``.
    private static let shareOfFree = 4

    init(uploadsMax: Int) {
        precondition(uploadsMax > 0, "BUG: uploadsMax=\(uploadsMax)")
        self.uploadsMax = uploadsMax
    }

    /// Takes a place. Balance with ``leave(_:)`` if the result is `entered`.
    ///
    /// Where no credentials are required, all uploads count as one caller's, to whom the share does
    /// not apply.
    func enter(_ caller: Caller) -> Entry {
        let uploader = Uploader(caller)
        return state.withLock { state in
            let free = uploadsMax - state.count - 1
            guard free >= 0 else { return .full }
            let own = state.counts[uploader, default: 0] + 1
            guard own == 1 || uploader == .anybody || own <= Self.shareOfFree * free else {
                return .shareUsedUp
            }
            state.count += 1
            state.counts[uploader] = own
            return .entered
        }
    }

    func leave(_ caller: Caller) {
        let uploader = Uploader(caller)
        state.withLock { state in
            guard let own = state.counts[uploader] else {
                preconditionFailure("BUG: an upload that had not entered")
            }
            state.counts[uploader] = own > 1 ? own - 1 : nil
            state.count -= 1
        }
    }

    var count: Int { state.withLock { $0.count } }
}

/// The bytes and files that each uploader may upload in a day, so that nobody alone fills the disk.
///
/// A used share refills evenly, within a day completely. Only stored files count. An API key has a
/// quota of its own instead (``KeyAccount``), because it stands for many users. Shares are in
/// memory, on this node alone; a restart resets them.
///
/// At most ``uploadersMax`` uploaders are distinguished. Those with a full share are forgotten
/// first; if that does not suffice, new uploaders have one share in common.
final class UploadShares: Sendable {
    fileprivate struct Share {
        var bytes: TokenBucket
        var files: TokenBucket
    }

    static let uploadersMax = 16_384

    private let bytesPerDay: Int
    private let filesPerDay: Int
    private let shares = Mutex<[Uploader: Share]>([:])

    /// - Parameters:
    ///   - bytesPerDay: 0 means no limit.
    ///   - filesPerDay: 0 means no limit.
    init(bytesPerDay: Int, filesPerDay: Int) {
        self.bytesPerDay = bytesPerDay
        self.filesPerDay = filesPerDay
    }

    /// - Returns: nil if this uploader may upload; otherwise the time until that.
    func refusal(_ uploader: Uploader, now: ContinuousClock.Instant = .now) -> Duration? {
        change(uploader, now) { share in
            let waits = [
                bytesPerDay > 0 ? share.bytes.wait(for: 1, now: now) : nil,
                filesPerDay > 0 ? share.files.wait(for: 1, now: now) : nil,
            ]
            return waits.compactMap(\.self).max()
        }
    }

    /// Counts what was stored for this uploader.
    func spend(
        bytes: Int, files: Int, of uploader: Uploader, now: ContinuousClock.Instant = .now
    ) {
        _ = change(uploader, now) { share in
            share.bytes.spendMore(bytes)
            share.files.spendMore(files)
            return nil
        }
    }

    private func change(
        _ uploader: Uploader, _ now: ContinuousClock.Instant,
        _ body: (inout Share) -> Duration?
    ) -> Duration? {
        if case .key = uploader { return nil }
        return shares.withLock { shares in
            var uploader = uploader
            if shares[uploader] == nil, shares.count >= Self.uploadersMax {
                shares = shares.filter { !$0.value.isWhole(at: now) }
                if shares.count >= Self.uploadersMax { uploader = .anybody }
            }
            var share = shares[uploader] ?? whole(now)
            defer { shares[uploader] = share }
            return body(&share)
        }
    }

    private func whole(_ now: ContinuousClock.Instant) -> Share {
        let day = Duration.seconds(86_400)
        return Share(
            bytes: TokenBucket(capacity: max(1, bytesPerDay), within: day, now: now),
            files: TokenBucket(capacity: max(1, filesPerDay), within: day, now: now))
    }
}

extension UploadShares.Share {
    fileprivate func isWhole(at now: ContinuousClock.Instant) -> Bool {
        bytes.isFull(at: now) && files.isFull(at: now)
    }
}

/// Whose uploads are counted together.
enum Uploader: Hashable {
    case user(String)
    case key(KeyID)
    /// No credentials are required, and any name may be given: only the address is the client's
    /// own.
    case address(ClientAddress)
    case anybody

    /// - Parameter address: nil if it is not to distinguish callers.
    init(_ caller: Caller, from address: ClientAddress? = nil) {
        switch caller {
        case .user(let name, _): self = .user(name)
        case .key(let account): self = .key(account.id)
        case .anybody: self = address.map(Self.address) ?? .anybody
        }
    }
}
