import Access
import Synchronization

/// Sessions of browsers: random tokens, in memory only, so a restart ends them all.
///
/// A session is its key's: it is over when the key is. Kept of both are digests, which are compared in
/// constant time.
final class StatusSessions: Sendable {
    /// From the sign-in on, however much it is used.
    static let lifetime = Duration.seconds(12 * 3600)
    /// One more ends the oldest.
    static let sessionsMax = 256

    private struct Session {
        let key: KeyDigest
        let until: ContinuousClock.Instant
    }

    private let sessions = Mutex<[KeyDigest: Session]>([:])

    /// - Returns: the token, 256 random bits in hexadecimal digits.
    func open(for key: KeyDigest, now: ContinuousClock.Instant = .now) -> String {
        // Of the operating system's generator.
        let words = (0..<4).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        let token = words.joined()
        sessions.withLock { sessions in
            if sessions.count >= Self.sessionsMax {
                sessions = sessions.filter { $0.value.until > now }
            }
            if sessions.count >= Self.sessionsMax,
                let oldest = sessions.min(by: { $0.value.until < $1.value.until })
            {
                sessions[oldest.key] = nil
            }
            sessions[KeyDigest(of: token)] = Session(key: key, until: now + Self.lifetime)
        }
        return token
    }

    /// The key that it was opened with; nil when there is no such session, or no longer.
    func key(of token: String, now: ContinuousClock.Instant = .now) -> KeyDigest? {
        let digest = KeyDigest(of: token)
        return sessions.withLock { sessions in
            guard let session = sessions[digest] else { return nil }
            guard session.until > now else {
                sessions[digest] = nil
                return nil
            }
            return session.key
        }
    }

    func close(_ token: String) {
        sessions.withLock { $0[KeyDigest(of: token)] = nil }
    }

    var count: Int { sessions.withLock { $0.count } }
}
