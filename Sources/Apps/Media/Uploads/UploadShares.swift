import Auth
import Synchronization

/// The bytes and files that each uploader may upload in a day, so that nobody alone fills the disk.
///
/// A used share refills evenly, within a day completely. Only stored files count. An API key has a
/// quota of its own instead (``KeyLimits``), because it stands for many users. Shares are in
/// memory, on this node alone; a restart resets them.
///
/// At most ``uploadersMax`` uploaders are distinguished. Those with a full share are forgotten
/// first; if that does not suffice, new uploaders have one share in common.
final class UploadShares: Sendable {
    struct Share {
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
    func isWhole(at now: ContinuousClock.Instant) -> Bool {
        bytes.isFull(at: now) && files.isFull(at: now)
    }
}
