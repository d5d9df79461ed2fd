import Fleet
import Readings

/// Changes a database that agrees with its ledger, in one way at a time, and expects an
/// objection.
///
/// Each change is in a transaction that is rolled back; only the session's temporary table
/// remains. To be run on a private database, because rows are locked meanwhile.
public enum Tampering: String, CaseIterable, Sendable {
    case rowDeleted = "a row deleted"
    case rowDuplicated = "a row stored twice"
    case rowInvented = "a row invented"
    case valueChanged = "a value changed"
    case deviceRenamed = "a device renamed"
    case quarantineDeleted = "a quarantined reading deleted"
    case quarantineReason = "a quarantined reading's reason changed"

    /// The result of one change; `notApplicable` if there was no row to change.
    public enum Outcome: Sendable, Equatable {
        case objected([String])
        case silent
        case notApplicable
    }

    /// Changes the database, verifies it and rolls back.
    public func run(_ ledger: Ledger, on session: Session) throws(Session.Failure) -> Outcome {
        try session.execute("begin")
        let result = Result<Outcome, Session.Failure> { () throws(Session.Failure) in
            guard try !session.rows(sql(among: ledger)).isEmpty else { return .notApplicable }
            let verification = try Verification.run(ledger, on: session)
            return verification.objections.isEmpty
                ? .silent : .objected(verification.objections.counts.keys.sorted())
        }
        try session.execute("rollback")
        return try result.get()
    }

    /// The statement returns a row for each row that it changes.
    private func sql(among ledger: Ledger) -> String {
        let keys = ledger.fleet.traits.map { String($0.key.value) }.joined(separator: ",")
        let one =
            "where ctid = (select ctid from only_one) and tableoid = (select tableoid from only_one)"
        let pick =
            "with only_one as (select tableoid, ctid from sluice.gps where device_key in (\(keys)) limit 1)"
        switch self {
        case .rowDeleted:
            return "\(pick) delete from sluice.gps \(one) returning 1"
        case .rowDuplicated:
            return "\(pick) insert into sluice.gps select * from sluice.gps \(one) returning 1"
        case .rowInvented:
            return """
                \(pick) insert into sluice.gps
                select device_key, t + interval '1 microsecond', lat, lon, acc from sluice.gps \(one)
                returning 1
                """
        case .valueChanged:
            return "\(pick) update sluice.gps set lat = lat + 0.5 \(one) returning 1"
        case .deviceRenamed:
            return """
                update sluice.device set device_id = 'not-' || device_id
                where device_key in (select device_key from sluice.gps where device_key in (\(keys)) limit 1)
                returning 1
                """
        case .quarantineDeleted:
            return """
                delete from sluice.quarantine where (device_key, digest) =
                    (select device_key, digest from sluice.quarantine where device_key in (\(keys)) limit 1)
                returning 1
                """
        case .quarantineReason:
            return """
                update sluice.quarantine set reason = 'refused_by_database'
                where (device_key, digest) =
                    (select device_key, digest from sluice.quarantine where device_key in (\(keys)) limit 1)
                returning 1
                """
        }
    }
}
