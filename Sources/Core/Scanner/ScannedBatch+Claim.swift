/// For senders who may bring the readings of one user or one device only.
extension ScannedBatch {
    /// What a claim found of others.
    public enum Foreign: Sendable {
        case user, device
    }

    /// Gives readings whose batch names no user to `user`.
    ///
    /// - Parameters:
    ///   - user: nil: readings of all users are the sender's.
    ///   - device: lower-cased; nil: those of all devices.
    /// - Returns: what the batch has of others; it must not be used then.
    /// - Complexity: O(rows) if something is given, because the user is part of every row's key.
    public func claim(user: String?, device: String?) -> Foreign? {
        // Quarantined readings that name no device are nobody's.
        for batch in deviceBatches where !batch.isNameless {
            if let device, !batch.deviceID.utf8.elementsEqual(device.utf8) { return .device }
            guard let user, !batch.userID.utf8.elementsEqual(user.utf8) else { continue }
            guard !batch.namesUser else { return .user }
            batch.give(to: user)
        }
        return nil
    }
}
