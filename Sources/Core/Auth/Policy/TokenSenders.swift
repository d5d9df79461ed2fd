import Synchronization

/// The accounts of users who send readings with their own token: one for each user, so that none
/// takes the room of another.
///
/// Thread-safe. Beyond ``countMax`` users, accounts with nothing in flight are made anew when they
/// are needed again; their quota then begins anew, too.
final class TokenSenders: Sendable {
    static let countMax = 4096

    private let accounts = Mutex<[String: KeyLimits]>([:])

    /// - Parameter bytesPerSecond: the quota of each user; nil: no limit.
    func account(of user: String, bytesPerSecond: Int?) -> KeyLimits {
        accounts.withLock { accounts in
            if let known = accounts[user], known.bytesPerSecond == bytesPerSecond,
                // Swift takes two spellings of a letter for the same.
                known.binding?.user?.utf8.elementsEqual(user.utf8) == true
            {
                return known
            }
            if accounts.count >= Self.countMax {
                accounts = accounts.filter { $0.value.inFlightBytes > 0 }
            }
            let account = KeyLimits(
                KeyID(name: "token of \(user)", id: nil), bytesPerSecond: bytesPerSecond,
                binding: KeyBinding(user: user, device: nil))
            accounts[user] = account
            return account
        }
    }
}
