/// Whose readings a key may bring: those of one user, of one device, or of one device of one user.
///
/// Readings that name no user become the user's. A request with readings of another user or device
/// is refused whole. On the routes of users' apps, a key that is bound to a user reaches that user's
/// data only, as the user's token does.
public struct KeyBinding: Hashable, Sendable {
    /// nil: any user's.
    public let user: String?
    /// Lower-cased; nil: any device's.
    public let device: String?

    /// - Returns: nil if neither is given: the key is not bound.
    public init?(user: String?, device: String?) {
        if user == nil, device == nil { return nil }
        self.user = user
        self.device = device?.lowercased()
    }
}
