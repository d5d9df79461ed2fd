import Auth
import Encodings
import Synchronization

/// Sessions of browsers: random tokens, in memory only, so a restart ends them all.
///
/// A session ends when its key does. Tokens and keys are kept as digests, which are compared in
/// constant time.
final class StatusSessions: Sendable {
    /// Time from the sign-in, whether or not the session is used.
    static let lifetime = Duration.seconds(12 * 3600)
    /// One more session ends the oldest.
    static let sessionsMax = 256

    private struct Session {
        let key: KeyDigest
        let until: ContinuousClock.Instant
    }

    private let sessions = Mutex<[KeyDigest: Session]>([:])

    /// - Returns: the token, 256 random bits in hexadecimal digits.
    func open(for key: KeyDigest, now: ContinuousClock.Instant = .now) -> String {
        // From the operating system's generator.
        let token = (0..<4).map { _ in
            Hexadecimal.text(UInt64.random(in: 0...UInt64.max))
        }.joined()
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

    /// The key of a session; nil if the session does not exist or has ended.
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
