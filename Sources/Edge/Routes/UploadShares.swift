import Access
import Synchronization

/// What each uploader may bring in a day, in bytes and in files, so that nobody alone fills the disk.
///
/// A share that was used up comes back evenly, in a day all of it. Only what was stored counts. An API
/// key has a quota of its own instead (``KeyAccount``): it stands for many users. Kept in memory, for
/// this node alone: a restart gives everybody a whole share.
///
/// At most ``uploadersMax`` are told apart: those whose share is whole are forgotten first, and where
/// that does not help, new ones have one share together.
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
    ///   - bytesPerDay: 0: no limit.
    ///   - filesPerDay: 0: no limit.
    init(bytesPerDay: Int, filesPerDay: Int) {
        self.bytesPerDay = bytesPerDay
        self.filesPerDay = filesPerDay
    }

    /// - Returns: nil when this uploader may bring something; else how long until he may.
    func refusal(_ uploader: Uploader, now: ContinuousClock.Instant = .now) -> Duration? {
        change(uploader, now) { share in
            let waits = [
                bytesPerDay > 0 ? share.bytes.wait(for: 1, now: now) : nil,
                filesPerDay > 0 ? share.files.wait(for: 1, now: now) : nil,
            ]
            return waits.compactMap(\.self).max()
        }
    }

    /// So much of his was stored.
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
