public import Readings
import Synchronization

/// All keys in force, in memory: the configured ones and the last known state of the issued ones.
///
/// Any thread may ask at any time; one writer, ``KeyRefresher``, replaces the issued keys as a whole.
public final class KeyRing: KeyAuthority {
    /// One key in force. The object outlives a replacement when the key is unchanged, so that no use
    /// of it goes uncounted.
    private final class Entry: Sendable {
        let key: IssuedKey
        let account: KeyAccount
        /// Microseconds as ``Timestamp`` counts them; zero: not used since last asked.
        let lastUsed = Atomic<Int64>(0)

        init(_ key: IssuedKey, bytesPerSecond: Int?) {
            self.key = key
            account = KeyAccount(key.id, bytesPerSecond: bytesPerSecond)
        }
    }

    private struct Issued {
        var entries: [KeyDigest: Entry] = [:]
        /// Uses of keys that were replaced before anybody asked.
        var departedUses: [(id: Int64, at: Timestamp)] = []
        /// The table has been read once.
        var isKnown = false
        /// One of the keys was for users' apps, at any time.
        var hasHadApplicationKey = false
    }

    private struct ConfiguredEntry {
        let account: KeyAccount
        var scopes: Set<KeyScope>
    }

    private struct Configured {
        var entries: [KeyDigest: ConfiguredEntry] = [:]
        /// Of each key that has no quota of its own.
        var bytesPerSecond: Int?
    }

    private let configured: Mutex<Configured>
    private let issued = Mutex(Issued())
    private let now: @Sendable () -> Timestamp

    /// A ring that knows the configured keys only, until ``replaceIssued(with:)``.
    ///
    /// - Parameters:
    ///   - configured: for `/ingest`; named `configured-1`, `configured-2`… in their order.
    ///   - application: for all but `/ingest`; named `application-1`… in their order.
    ///   - bytesPerSecond: the quota of each key that has none of its own; nil: no limit.
    ///   - now: the clock that decides about expiry.
    public init(
        configured: ConfiguredKeys, application: ConfiguredKeys = .none,
        bytesPerSecond: Int? = nil, now: @escaping @Sendable () -> Timestamp
    ) {
        self.configured = Mutex(Self.entries(configured, application, bytesPerSecond))
        self.now = now
    }

    private static func entries(
        _ ingest: ConfiguredKeys, _ application: ConfiguredKeys, _ bytesPerSecond: Int?
    ) -> Configured {
        var configured = Configured(bytesPerSecond: bytesPerSecond)
        func add(_ keys: ConfiguredKeys, _ name: String, _ scopes: Set<KeyScope>) {
            for (index, digest) in keys.digests.enumerated() {
                let account = KeyAccount(
                    KeyID(name: "\(name)-\(index + 1)", id: nil), bytesPerSecond: bytesPerSecond)
                // A key of both settings is one key that may do both.
                configured.entries[digest, default: ConfiguredEntry(account: account, scopes: [])]
                    .scopes.formUnion(scopes)
            }
        }
        add(ingest, "configured", [.ingest])
        add(application, "application", KeyScope.application.union([.status]))
        return configured
    }

    /// Puts these keys in the place of all configured ones; what is not among them stops working now.
    /// The quota holds for issued keys from their next replacement on.
    public func replaceConfigured(
        with keys: ConfiguredKeys, application: ConfiguredKeys = .none, bytesPerSecond: Int?
    ) {
        let next = Self.entries(keys, application, bytesPerSecond)
        configured.withLock { configured in
            var next = next
            // A key that stays keeps its account, and what it has in flight.
            if configured.bytesPerSecond == bytesPerSecond {
                for (digest, known) in configured.entries {
                    guard let entry = next.entries[digest] else { continue }
                    next.entries[digest] = ConfiguredEntry(
                        account: known.account, scopes: entry.scopes)
                }
            }
            configured = next
        }
    }

    /// One hash and one or two look-ups; notes the use of an issued key.
    public func authenticate(_ presented: String, for scope: KeyScope) -> KeyAccount? {
        guard !presented.isEmpty, presented.utf8.count <= ConfiguredKeys.keyBytesMax else {
            return nil
        }
        return authenticate(KeyDigest(of: presented), for: scope)
    }

    /// One or two look-ups; notes the use of an issued key.
    public func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyAccount? {
        if let entry = configured.withLock({ $0.entries[digest] }), entry.scopes.contains(scope) {
            return entry.account
        }
        guard let entry = issued.withLock({ $0.entries[digest] }), entry.key.scopes.contains(scope)
        else {
            return nil
        }
        let time = now()
        if let expiry = entry.key.expiresAt, time >= expiry { return nil }
        entry.lastUsed.store(time.microseconds, ordering: .relaxed)
        return entry.account
    }

    /// Puts these keys in the place of all issued ones; what is not among them stops working now.
    public func replaceIssued(with keys: [IssuedKey]) {
        let bytesPerSecond = configured.withLock { $0.bytesPerSecond }
        issued.withLock { issued in
            var departed = issued.entries
            var next: [KeyDigest: Entry] = [:]
            for key in keys {
                if let known = issued.entries[key.digest], known.key == key,
                    known.account.bytesPerSecond == key.bytesPerSecond ?? bytesPerSecond
                {
                    next[key.digest] = known
                    departed[key.digest] = nil
                } else {
                    next[key.digest] = Entry(
                        key, bytesPerSecond: key.bytesPerSecond ?? bytesPerSecond)
                }
            }
            issued.isKnown = true
            issued.hasHadApplicationKey =
                issued.hasHadApplicationKey
                || keys.contains { !$0.scopes.isDisjoint(with: KeyScope.application) }
            issued.entries = next
            issued.departedUses += departed.values.compactMap(Self.takeUse)
        }
    }

    /// From the first ``replaceIssued(with:)`` on.
    public var knowsAllKeys: Bool { issued.withLock { $0.isKnown } }

    /// When each issued key was last used, for those used since the last call.
    public func takeUses() -> [(id: Int64, at: Timestamp)] {
        let (entries, departed) = issued.withLock { issued in
            defer { issued.departedUses = [] }
            return (Array(issued.entries.values), issued.departedUses)
        }
        return departed + entries.compactMap(Self.takeUse)
    }

    private static func takeUse(of entry: Entry) -> (id: Int64, at: Timestamp)? {
        let used = entry.lastUsed.exchange(0, ordering: .relaxed)
        guard used != 0, let id = entry.key.id.id else { return nil }
        return (id, Timestamp(microseconds: used))
    }

    /// Keys from the configuration, of both settings.
    public var configuredCount: Int { configured.withLock { $0.entries.count } }

    /// From the first ``replaceIssued(with:)`` with such a key on.
    public var hasIssuedApplicationKey: Bool { issued.withLock { $0.hasHadApplicationKey } }

    /// Issued keys in force, expired ones included until the table drops them.
    public var issuedCount: Int { issued.withLock { $0.entries.count } }
}

extension KeyRing: CustomStringConvertible, CustomReflectable {
    /// Counts only.
    public var description: String {
        "KeyRing(configured: \(configuredCount), issued: \(issuedCount))"
    }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The keys of one setting: comma-separated, so that two can live during a rotation.
///
/// Spaces around a key and empty entries are dropped, so neither `a,,b`, nor `a, b`, nor a trailing
/// comma lets an empty key in. A key that no HTTP header could carry is a fault and is told by its
/// position, not by its text.
public struct ConfiguredKeys: Sendable {
    /// Bytes of a key, also of a presented one.
    public static let keyBytesMax = 256

    /// What is wrong with an entry; `position` counts from 1.
    public enum Fault: Error, Equatable, Sendable {
        /// Something other than printable ASCII.
        case notPrintable(position: Int)
        /// More than ``ConfiguredKeys/keyBytesMax`` bytes.
        case tooLong(position: Int)
    }

    /// No keys.
    public static let none = ConfiguredKeys()

    let digests: [KeyDigest]

    /// Different keys in force.
    public var count: Int { digests.count }

    /// - Parameter list: the value of the setting; nil and blank mean no keys.
    public init(_ list: String?) throws(Fault) {
        var digests: [KeyDigest] = []
        let entries = (list ?? "").split(separator: ",", omittingEmptySubsequences: false)
        for (index, entry) in entries.enumerated() {
            let key = Self.trimmed(entry)
            if key.isEmpty { continue }
            guard key.utf8.count <= Self.keyBytesMax else { throw .tooLong(position: index + 1) }
            guard key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw .notPrintable(position: index + 1)
            }
            let digest = KeyDigest(of: String(key))
            if !digests.contains(digest) { digests.append(digest) }
        }
        self.digests = digests
    }

    private init() {
        digests = []
    }

    private static func trimmed(_ entry: Substring) -> Substring {
        let space: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
        var entry = entry.drop(while: space)
        while let last = entry.last, space(last) { entry.removeLast() }
        return entry
    }
}
