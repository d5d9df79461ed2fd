import Instruments
import Logging
import Postgres
import Readings
import Synchronization

/// Makes the partitions that lanes ask for and those of the coming days, on its own loop and
/// connection, so that no lane waits for DDL. ``DayPlan`` decides.
final class DayMaker<Outside: World>: @unchecked Sendable {
    // Guard of `@unchecked`: `session` and `reminder` are touched on the loop only; `plan`,
    // `listener` and `loop` have their locks.

    private let outside: Outside
    private let placements: PlacementBook
    private let configuration: IngestionConfiguration
    private let logger: Logger
    private let made: Counter
    private let plan: Mutex<DayPlan>
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)
    private let loop = Mutex<(any WorkLoop)?>(nil)
    private let isStopped = Atomic(false)
    private var session: Outside.Days?
    private var reminder = Reminder()

    init(
        _ outside: Outside, placements: PlacementBook, _ configuration: IngestionConfiguration,
        registry: Registry, logger: Logger
    ) {
        self.outside = outside
        self.placements = placements
        self.configuration = configuration
        self.logger = logger
        plan = Mutex(
            DayPlan(
                perMinuteMax: configuration.daysPerMinuteMax,
                perDeviceMax: configuration.daysPerDeviceMax, now: outside.now))
        made = registry.counter(
            "sluice_days_made_total", help: "Days for which partitions were made.")
        registry.gauge(
            "sluice_days_pending", help: "Days whose partitions are still to be made."
        ) { [weak self] in Double(self?.plan.withLock { $0.pending } ?? 0) }
    }

    /// Begins to work.
    ///
    /// - Parameter listener: called on the maker's loop after each step that may have settled days.
    func start(notifying listener: @escaping @Sendable () -> Void) {
        self.listener.withLock { $0 = listener }
        let loop = outside.makeLoop(
            "sluice.days", every: configuration.lookInterval,
            wake: { [weak self] in self?.work() },
            tick: { [weak self] in
                self?.wantDaysAhead()
                self?.work()
            })
        self.loop.withLock { $0 = loop }
        loop.start()
    }

    /// Reads which days exist, so that the first batches need not wait for that.
    ///
    /// - Parameter done: called when that has succeeded or failed.
    func lookNow(_ done: @escaping @Sendable () -> Void) {
        guard let loop = loop.withLock({ $0 }) else { return done() }
        loop.run {
            do throws(PostgresError) {
                _ = try self.openSession(by: self.outside.now + self.configuration.connectMax)
            } catch {
                // The first step tries again, and logs what is wrong.
                self.session?.close()
                self.session = nil
            }
            done()
        }
    }

    /// Stops without waiting for a step that is under way.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        listener.withLock { $0 = nil }
        loop.withLock { $0 }?.run {
            self.session?.close()
            self.session = nil
            self.loop.withLock { $0 }?.stop()
        }
    }

    // MARK: For lanes

    /// - Returns: the standing of each day that is settled; the others are requested.
    func standings(
        of days: Set<Int32>, for device: Int64, since: ContinuousClock.Instant
    ) -> [Int32: DayPlan.Standing] {
        let now = outside.now
        let (standings, isWithinBudget) = plan.withLock { plan in
            var standings: [Int32: DayPlan.Standing] = [:]
            for day in days {
                standings[day] = plan.standing(of: day, since: since)
            }
            let pending = days.filter { standings[$0] == nil }
            return (standings, pending.isEmpty || plan.want(pending, for: device, now: now))
        }
        if standings.count < days.count { loop.withLock { $0 }?.raise() }
        if !isWithinBudget { noteOverspending(device) }
        return standings
    }

    /// Forgets days whose partitions were found to be missing.
    func forget(_ days: Set<Int32>) { plan.withLock { $0.forget(days) } }

    private func noteOverspending(_ device: Int64) {
        loop.withLock { $0 }?.run { [self] in
            guard let count = reminder.isDue("device \(device)", now: outside.now) else { return }
            logger.warning(
                """
                a device has used up SLUICE_DAYS_PER_DEVICE_MAX; readings of further days wait in \
                the spool
                """,
                metadata: [
                    "device_key": "\(device)", "days_max": "\(configuration.daysPerDeviceMax)",
                    "times": "\(count)",
                ])
        }
    }

    // MARK: On the loop

    private func wantDaysAhead() {
        let today = outside.wallClock.day
        let days = Set(today - 1...today + Int32(IngestionConfiguration.daysAhead))
        let now = outside.now
        _ = plan.withLock { $0.want(days, for: nil, now: now) }
    }

    private func work() {
        while !isStopped.load(ordering: .relaxed) {
            let now = outside.now
            guard let step = plan.withLock({ $0.next(now: now) }) else { return }
            do throws(PostgresError) {
                try take(step)
            } catch {
                return failed(step, error)
            }
            listener.withLock({ $0 })?()
        }
    }

    private func take(_ step: DayPlan.Step) throws(PostgresError) {
        let session = try openSession(by: outside.now + configuration.connectMax)
        session.deadline = outside.now + configuration.dayStepMax
        do throws(PostgresError) {
            let days = try session.ensureDays(step.days)
            made.increment(by: days)
            let now = outside.now
            plan.withLock { $0.made(step, days: days, now: now) }
            try session.noteSuccess(of: step.days)
        } catch {
            guard error.sqlState == Self.dayLeft else { throw error }
            let gone = try session.daysThatLeft(among: step.days)
            // The day was brought back in between. This is retried like any refusal.
            guard !gone.isEmpty else { throw error }
            let now = outside.now
            plan.withLock { $0.left(gone, of: step, now: now) }
        }
    }

    /// `sluice.ensure_days` refuses a day that left the tables with this code.
    private static var dayLeft: SQLState { "22008" }

    private func openSession(
        by deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> Outside.Days {
        if let session, session.isOpen { return session }
        let session = try outside.openDaySession(
            to: placements.current.definitions, deadline: deadline)
        self.session = session
        let days = try session.existingDays()
        plan.withLock { $0.found(days) }
        return session
    }

    private func noteRefusal(of day: Int32?, _ error: PostgresError) {
        guard let day, let session, session.isOpen else { return }
        do throws(PostgresError) {
            try session.noteFailure(of: day, error)
        } catch {
            logger.debug("a failure was not noted", metadata: ["error": "\(error)"])
        }
    }

    private func failed(_ step: DayPlan.Step, _ error: PostgresError) {
        let now = outside.now
        if error.kind == .refused, error.failureClass != .retry {
            noteRefusal(of: plan.withLock { $0.refused(step, now: now) }, error)
        } else {
            plan.withLock {
                $0.failed(step, tookTooLong: error.kind == .deadlineExceeded, now: now)
            }
        }
        session?.close()
        session = nil
        // The lanes log that a database is unreachable.
        if error.failureClass == .retry {
            logger.debug("partitions were not made", metadata: ["error": "\(error)"])
        } else if let count = reminder.isDue("\(error)", now: now) {
            logger.error(
                "partitions can't be made; batches that need them go to the spool",
                metadata: ["error": "\(error)", "times": "\(count)"])
        }
    }
}
