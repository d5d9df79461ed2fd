import Access
import Encodings
import NIOCore
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

/// Counts wrong keys by address, so that whoever tries many is told to stop.
///
/// A right key always opens, also from an address with too many wrong ones: behind a proxy all
/// clients have one address, and nobody may lock the operator out. So this does not make a key hard
/// to guess; its length does. Keys in a header, which every route takes, are not counted either.
final class WrongTries: Sendable {
    /// Tries of one address within ``window``.
    static let triesMax = 10
    static let window = Duration.seconds(60)
    /// Addresses remembered; one more replaces the one whose window ends first.
    static let addressesMax = 4096

    private struct Count {
        var tries = 0
        let until: ContinuousClock.Instant
    }

    private let counts = Mutex<[ClientAddress?: Count]>([:])

    /// Counts a wrong key.
    ///
    /// - Returns: the time until one more may be tried, if this was one too many.
    func count(_ address: ClientAddress?, now: ContinuousClock.Instant = .now) -> Duration? {
        counts.withLock { counts in
            if let count = counts[address], count.until > now {
                guard count.tries < Self.triesMax else { return count.until - now }
                counts[address]?.tries += 1
                return nil
            }
            if counts.count >= Self.addressesMax { counts = counts.filter { $0.value.until > now } }
            if counts.count >= Self.addressesMax,
                let first = counts.min(by: { $0.value.until < $1.value.until })
            {
                counts[first.key] = nil
            }
            counts[address] = Count(tries: 1, until: now + Self.window)
            return nil
        }
    }
}

/// The origin of a connection, as far as a client can't change it at will: an IPv4 address, or the
/// network of an IPv6 address, its first 64 bits.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// - Returns: nil if there is no address, as on a Unix socket.
    init?(_ channel: any Channel) {
        // A stream has the address of its connection.
        self.init(channel.remoteAddress ?? channel.parent?.remoteAddress)
    }

    init?(_ address: SocketAddress?) {
        // In both structures the address follows family and port; in that of IPv6 a flow label
        // comes before it.
        switch address {
        case .v4: bytes = Self.bytes(4..<8, of: address)
        case .v6:
            let whole = Self.bytes(8..<24, of: address)
            // An IPv4 client of a socket that listens on `::` (RFC 4291, section 2.5.5.2).
            bytes = Array(whole.starts(with: Self.mappedPrefix) ? whole[12...] : whole[..<8])
        case .unixDomainSocket, nil: return nil
        }
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    private static func bytes(_ range: Range<Int>, of address: SocketAddress?) -> [UInt8] {
        address?.withSockAddr { structure, size in
            Array(UnsafeRawBufferPointer(start: structure, count: size)[range])
        } ?? []
    }
}
