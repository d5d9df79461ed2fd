import Ingest
import Postgres
import Readings

/// A session that makes partitions. Each partition takes time; all partitions of one call appear
/// together or not at all.
final class ModelDaySession: DaySession {
    private let session: ModelSession

    init(_ session: ModelSession) { self.session = session }

    var isOpen: Bool { session.isOpen }

    var deadline: ContinuousClock.Instant {
        get { session.deadline }
        set { session.deadline = newValue }
    }

    func close() { session.close() }

    func existingDays() throws(PostgresError) -> Set<Int32> {
        try session.arrive()
        try session.travel()
        return session.database.days
    }

    func ensureDays(_ days: ClosedRange<Int32>) throws(PostgresError) -> Int {
        try session.arrive()
        try session.demandWritable()
        let missing = Set(days).subtracting(session.database.days)
        guard missing.isDisjoint(with: session.database.daysOut.now) else {
            throw session.refused("22008")
        }
        for _ in missing {
            session.run.scheduler.spend(session.run.scenario.dayTime)
            try session.demandAlive()
        }
        session.database.makeDays(days)
        try session.travel()
        return missing.count
    }

    func daysThatLeft(among days: ClosedRange<Int32>) throws(PostgresError) -> Set<ReadingDay> {
        try session.arrive()
        try session.travel()
        let out = session.database.daysOut.now.intersection(days)
        return Set(
            out.flatMap { day in
                ReadingKind.allCases.map { ReadingDay(kind: $0, day: day) }
            })
    }
}
