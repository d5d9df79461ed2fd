public import Readings
import Synchronization

/// All keys in force, in memory: the configured keys and the last known state of the issued keys.
///
/// Thread-safe. One writer, ``KeyRefresher``, replaces all issued keys at once.
public final class KeyRing: KeyAuthority {
    /// One key in force. An unchanged key keeps its object when the ring is replaced, so that no
    /// use of it is lost.
    private final class Entry: Sendable {
        let key: IssuedKey
        let account: KeyLimits
        /// Microseconds as ``Timestamp`` counts them; zero: not used since the last ``takeUses()``.
        let lastUsed = Atomic<Int64>(0)

        init(_ key: IssuedKey, bytesPerSecond: Int?) {
            self.key = key
            account = KeyLimits(
                key.id, bytesPerSecond: bytesPerSecond, binding: key.binding)
        }
    }

    private struct Issued {
        var entries: [KeyDigest: Entry] = [:]
        /// Keys that are in force no more.
        var departed: [KeyDigest: KeyID] = [:]
        /// Uses of replaced keys that ``takeUses()`` has not returned yet.
        var departedUses: [(id: Int64, at: Timestamp)] = []
        /// The table has been read once.
        var isKnown = false
        /// The entries are those of an earlier run.
        var isRemembered = false
        /// At some time one of the keys was for users' apps.
        var hasHadApplicationKey = false
    }

    private struct ConfiguredEntry {
        let account: KeyLimits
        var scopes: Set<KeyScope>
    }

    private struct Configured {
        var entries: [KeyDigest: ConfiguredEntry] = [:]
        /// The quota of each key that has none of its own.
        var bytesPerSecond: Int?
    }

    private let configured: Mutex<Configured>
    private let issued = Mutex(Issued())
    private let now: @Sendable () -> Timestamp

    /// A ring of only the configured keys, until ``replaceIssued(with:)``.
    ///
    /// - Parameters:
    ///   - configured: for `/ingest`; named `configured-1`, `configured-2`… in their order.
    /// - application: for everything but `/ingest`; named `application-1`… in their order.
    ///   - bytesPerSecond: the quota of each key that has none of its own; nil: no limit.
    /// - now: the clock for expiry.
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
                let account = KeyLimits(
                    KeyID(name: "\(name)-\(index + 1)", id: nil), bytesPerSecond: bytesPerSecond)
                // A key that both settings contain is one key with both sets of scopes.
                configured.entries[digest, default: ConfiguredEntry(account: account, scopes: [])]
                    .scopes.formUnion(scopes)
            }
        }
        add(ingest, "configured", [.ingest])
        add(application, "application", KeyScope.application.union([.status]))
        return configured
    }

    /// Replaces all configured keys; a key that is not among the new ones stops working at once.
    /// The new quota applies to issued keys from their next replacement on.
    public func replaceConfigured(
        with keys: ConfiguredKeys, application: ConfiguredKeys = .none, bytesPerSecond: Int?
    ) {
        let next = Self.entries(keys, application, bytesPerSecond)
        configured.withLock { configured in
            var next = next
            // A key that stays keeps its account, and so its bytes in flight.
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

    /// One hash and one or two look-ups; records the use of an issued key.
    public func authenticate(_ presented: String, for scope: KeyScope) -> KeyLimits? {
        Self.digest(of: presented).flatMap { authenticate($0, for: scope) }
    }

    /// Nil for a text that is no key.
    private static func digest(of presented: String) -> KeyDigest? {
        presented.isEmpty || presented.utf8.count > ConfiguredKeys.keyBytesMax
            ? nil : KeyDigest(of: presented)
    }

    /// One or two look-ups; records the use of an issued key.
    public func authenticate(_ digest: KeyDigest, for scope: KeyScope) -> KeyLimits? {
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

    /// One hash and one or two look-ups; not a use of the key.
    public func isInForce(_ presented: String) -> Bool {
        guard let digest = Self.digest(of: presented) else { return false }
        if configured.withLock({ $0.entries[digest] }) != nil { return true }
        guard let entry = issued.withLock({ $0.entries[digest] }) else { return false }
        return entry.key.expiresAt.map { now() < $0 } ?? true
    }

    /// One hash and up to three look-ups; not a use of the key.
    public func id(of presented: String) -> KeyID? {
        guard let digest = Self.digest(of: presented) else { return nil }
        if let entry = configured.withLock({ $0.entries[digest] }) { return entry.account.id }
        return issued.withLock { $0.entries[digest]?.key.id ?? $0.departed[digest] }
    }

    /// Replaces all issued keys; a key that is not among the new ones stops working at once.
    ///
    /// - Parameter departed: keys that are in force no more, to name those who still use them.
    public func replaceIssued(with keys: [IssuedKey], departed gone: [KeyDigest: KeyID] = [:]) {
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
            issued.departed = gone
            issued.hasHadApplicationKey =
                issued.hasHadApplicationKey
                || keys.contains { !$0.scopes.isDisjoint(with: KeyScope.application) }
            issued.entries = next
            issued.departedUses += departed.values.compactMap(Self.takeUse)
        }
    }

    /// Puts the keys of an earlier run in force until the table has been read.
    public func remember(_ keys: [IssuedKey]) {
        let bytesPerSecond = configured.withLock { $0.bytesPerSecond }
        issued.withLock { issued in
            guard !issued.isKnown else { return }
            issued.isRemembered = true
            issued.hasHadApplicationKey = keys.contains {
                !$0.scopes.isDisjoint(with: KeyScope.application)
            }
            for key in keys {
                issued.entries[key.digest] = Entry(
                    key, bytesPerSecond: key.bytesPerSecond ?? bytesPerSecond)
            }
        }
    }

    /// True from the first ``replaceIssued(with:)`` or ``remember(_:)`` on.
    public var remembersKeys: Bool { issued.withLock { $0.isKnown || $0.isRemembered } }

    /// True from the first ``replaceIssued(with:)`` on.
    public var knowsAllKeys: Bool { issued.withLock { $0.isKnown } }

    /// The last use of each issued key that was used since the previous call.
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

    /// The quota of each key that has none of its own.
    public var bytesPerSecond: Int? { configured.withLock { $0.bytesPerSecond } }

    /// Configured keys, of both settings.
    public var configuredCount: Int { configured.withLock { $0.entries.count } }

    /// True from the first ``replaceIssued(with:)`` that contains such a key.
    public var hasIssuedApplicationKey: Bool { issued.withLock { $0.hasHadApplicationKey } }

    /// Issued keys in force, including expired ones that the next refresh will drop.
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
