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
    }

    private struct Configured {
        var accounts: [KeyDigest: KeyAccount] = [:]
        /// Of each key that has no quota of its own.
        var bytesPerSecond: Int?
    }

    private let configured: Mutex<Configured>
    private let issued = Mutex(Issued())
    private let now: @Sendable () -> Timestamp

    /// A ring that knows the configured keys only, until ``replaceIssued(with:)``.
    ///
    /// - Parameters:
    ///   - configured: named `configured-1`, `configured-2`… in their order.
    ///   - bytesPerSecond: the quota of each key that has none of its own; nil: no limit.
    ///   - now: the clock that decides about expiry.
    public init(
        configured: ConfiguredKeys, bytesPerSecond: Int? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.configured = Mutex(Self.accounts(configured, bytesPerSecond))
        self.now = now
    }

    private static func accounts(
        _ keys: ConfiguredKeys, _ bytesPerSecond: Int?
    ) -> Configured {
        var configured = Configured(bytesPerSecond: bytesPerSecond)
        for (index, digest) in keys.digests.enumerated() {
            configured.accounts[digest] = KeyAccount(
                KeyID(name: "configured-\(index + 1)", id: nil), bytesPerSecond: bytesPerSecond)
        }
        return configured
    }

    /// Puts these keys in the place of all configured ones; what is not among them stops working now.
    /// The quota holds for issued keys from their next replacement on.
    public func replaceConfigured(with keys: ConfiguredKeys, bytesPerSecond: Int?) {
        let next = Self.accounts(keys, bytesPerSecond)
        configured.withLock { configured in
            var next = next
            // A key that stays keeps its account, and what it has in flight.
            if configured.bytesPerSecond == bytesPerSecond {
                for (digest, account) in configured.accounts where next.accounts[digest] != nil {
                    next.accounts[digest] = account
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
        let digest = KeyDigest(of: presented)
        if let account = configured.withLock({ $0.accounts[digest] }) { return account }
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
            issued.entries = next
            issued.departedUses += departed.values.compactMap(Self.takeUse)
        }
    }

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

    /// Keys from the configuration.
    public var configuredCount: Int { configured.withLock { $0.accounts.count } }

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
