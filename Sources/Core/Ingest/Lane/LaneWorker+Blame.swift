import Postgres
import Readings
import Scanner

/// Whom a failure concerns: everybody, or something of the present group.
extension LaneWorker {
    /// Tries each part of the present group once. That takes long only where parts have to wait.
    func narrow(after failure: PostgresError) {
        let end = deadline(
            in: failure.classOfOne == .retry ? configuration.narrowMax : .seconds(3600))
        narrowsUntil = narrowsUntil.map { min($0, end) } ?? end
    }

    /// - Parameter isSure: what delays the group concerns it alone if others can be written.
    /// - Returns: nil: it may concern everybody.
    func findBlame(
        _ group: Group, _ failure: PostgresError, _ unchanged: Set<Int64>, isSure: Bool
    ) -> Group.Failure? {
        // A database that gave no answer is not asked twice.
        if failure.isConnectionClosed {
            guard isSure, canWriteOthers(than: group) else { return nil }
            return blaming(group, failure, unchanged)
        }
        let blaming = blaming(group, failure, unchanged)
        return !blaming.devices.isEmpty || (isSure && canWriteOthers(than: group))
            ? blaming : nil
    }

    /// The failure as one of the group's members, with those that are known by name.
    func blaming(
        _ group: Group, _ failure: PostgresError, _ unchanged: Set<Int64>
    ) -> Group.Failure {
        var blaming = Group.Failure(failure)
        blaming.isOfMembers = true
        blaming.devices = unchanged
        if unchanged.isEmpty, failure.classOfOne == .retry {
            blaming.devices = lockedDevices(of: group)
        }
        return blaming
    }

    /// The group's devices whose rows are locked at this moment. Nobody is named if the database
    /// can't tell: then attempts at parts of the group will.
    private func lockedDevices(of group: Group) -> Set<Int64> {
        guard !group.deviceBatches.isEmpty else { return [] }
        do throws(PostgresError) {
            let deadline = deadline(in: configuration.heartbeatMax)
            let session = try connection.open(
                to: placements.current.destination(of: group), by: deadline)
            session.deadline = deadline
            return try session.locked(among: group.deviceBatches.map(\.deviceBatch))
        } catch {
            if error.isConnectionClosed { connection.close() }
            return []
        }
    }

    /// Costs no wait, unlike an attempt.
    func demandUnlocked(_ group: Group) throws(Group.Failure) {
        let locked = lockedDevices(of: group)
        guard !locked.isEmpty else { return }
        var failure = Group.Failure(PostgresError(.refused, sqlState: .lockNotAvailable))
        failure.isOfMembers = true
        failure.devices = locked
        throw failure
    }

    /// Whether a heartbeat passes, which needs all that a group needs but the group's own rows.
    private func canWriteOthers(than group: Group) -> Bool {
        do throws(PostgresError) {
            let deadline = deadline(in: configuration.heartbeatMax)
            let session = try connection.open(
                to: placements.current.destination(of: group), by: deadline)
            session.deadline = deadline
            try session.heartbeat(node: configuration.node, lane: number)
            return true
        } catch {
            if error.isConnectionClosed { connection.close() }
            return false
        }
    }
}
