import Readings

/// Which days have partitions, which are to be made, and when; decides only.
///
/// Making a day creates five tables, takes some 25 ms, and makes every later query a little slower.
/// So days are made a few at a time, each step in its own transaction. Devices take turns, so that
/// a batch with years of history delays a batch with one missing day by only one step. Budgets
/// limit the days made per minute for all devices, and per 24 hours for each device, so that a
/// broken clock can't fill the database with tables. A day that exists already costs nothing.
///
/// A refused step is repeated day by day. A day that is refused by itself, such as one that an
/// operator's own partition overlaps, rests for a time that doubles; its neighbours are made.
struct DayPlan {
    /// A step: neighbouring days, to be made in one transaction.
    struct Step: Equatable {
        let days: ClosedRange<Int32>
        /// nil: made ahead of time, for all devices.
        let device: Int64?
    }

    /// What is settled of one day.
    enum Standing: Equatable {
        /// All of its partitions are there.
        case exists
        /// These kinds left the tables; the other kinds have their partitions.
        case left(Set<ReadingKind>)
    }

    /// The most days in one step.
    static let stepDaysMax = 4
    /// Days that may be pending; beyond that, lanes ask again later.
    static let pendingMax = 20_000
    /// Devices whose budgets are remembered; those with the oldest windows are forgotten first.
    static let accountsMax = 10_000
    static let accountWindow: Duration = .seconds(24 * 3600)
    private static let backoffMin: Duration = .milliseconds(250)
    private static let backoffMax: Duration = .seconds(5)
    private static let restMin: Duration = .seconds(1)
    private static let restMax: Duration = .seconds(300)
    /// Days that may rest; one more is only delayed by the pause that follows every failure.
    static let restingMax = 1000

    private let perMinuteMax: Double
    private let perDeviceMax: Int
    private var known: Set<Int32> = []
    /// Days that left, and when that was found; it holds for batches offered before then.
    private var left: [Int32: (kinds: Set<ReadingKind>, at: ContinuousClock.Instant)] = [:]
    /// Days of steps that were refused; each is a step by itself.
    private var alone: Set<Int32> = []
    /// Days that were refused by themselves: how often, and when they may be requested again.
    private var resting: [Int32: (failures: Int, until: ContinuousClock.Instant)] = [:]
    /// Requested days by device; nil: made ahead of time.
    private var wanted: [Int64?: Set<Int32>] = [:]
    /// The keys of ``wanted``, the next one first.
    private var turns: [Int64?] = []
    /// Pending days; a day that two devices requested counts twice.
    private(set) var pending = 0
    private var accounts: [Int64: (made: Int, since: ContinuousClock.Instant)] = [:]
    private var allowance: Double
    private var allowanceAt: ContinuousClock.Instant
    private var stepDays = DayPlan.stepDaysMax
    private var backoff = DayPlan.backoffMin
    private var nextAt: ContinuousClock.Instant

    init(perMinuteMax: Int, perDeviceMax: Int, now: ContinuousClock.Instant) {
        self.perMinuteMax = Double(perMinuteMax)
        self.perDeviceMax = perDeviceMax
        allowance = Double(perMinuteMax)
        allowanceAt = now
        nextAt = now
    }

    // MARK: For lanes

    /// - Parameter since: older answers don't count, because a day that left may be back.
    /// - Returns: nil: not known yet.
    func standing(of day: Int32, since: ContinuousClock.Instant) -> Standing? {
        if known.contains(day) { return .exists }
        if let answer = left[day], answer.at >= since { return .left(answer.kinds) }
        return nil
    }

    /// Requests days; a repeated request changes nothing.
    ///
    /// - Returns: false when the device has used up its budget: its days are not made now.
    mutating func want(
        _ days: Set<Int32>, for device: Int64?, now: ContinuousClock.Instant
    ) -> Bool {
        var missing = days.subtracting(known)
        if !resting.isEmpty {
            missing = missing.filter { resting[$0].map { $0.until <= now } ?? true }
        }
        guard !missing.isEmpty else { return true }
        if let device, spent(by: device, now: now) >= perDeviceMax { return false }
        guard pending < Self.pendingMax else { return true }
        let before = wanted[device]
        if before == nil { turns.append(device) }
        let days = (before ?? []).union(missing)
        wanted[device] = days
        pending += days.count - (before?.count ?? 0)
        return true
    }

    /// Forgets days whose partitions somebody dropped.
    mutating func forget(_ days: Set<Int32>) { known.subtract(days) }

    // MARK: For the maker

    /// The next step; nil when there is none, or not yet.
    mutating func next(now: ContinuousClock.Instant) -> Step? {
        refill(now)
        guard now >= nextAt, allowance >= 1 else { return nil }
        while let device = turns.first {
            let days = (wanted[device] ?? []).subtracting(known)
            let room = device.map { perDeviceMax - spent(by: $0, now: now) } ?? .max
            guard let first = days.min(), room > 0 else {
                endTurn(of: device, leaving: [])
                continue
            }
            let longest = alone.contains(first) ? 1 : min(stepDays, room, Int(allowance))
            var last = first
            while last - first + 1 < longest, days.contains(last + 1), !alone.contains(last + 1) {
                last += 1
            }
            return Step(days: first...last, device: device)
        }
        return nil
    }

    /// Notes days that exist, whoever made them.
    mutating func found(_ days: Set<Int32>) {
        known.formUnion(days)
        for day in days { left[day] = nil }
        if !alone.isEmpty { alone.subtract(days) }
        if !resting.isEmpty { for day in days { resting[day] = nil } }
    }

    /// A step was committed.
    ///
    /// - Parameter days: how many count against the budgets, see ``DaySession/ensureDays(_:)``.
    mutating func made(_ step: Step, days: Int, now: ContinuousClock.Instant) {
        found(Set(step.days))
        refill(now)
        allowance -= Double(days)
        if let device = step.device, days > 0 { charge(device, days, now) }
        stepDays = min(stepDays * 2, Self.stepDaysMax)
        backoff = Self.backoffMin
        endTurn(of: step.device, leaving: wanted[step.device, default: []].subtracting(step.days))
    }

    /// These days of a step left the tables; the step's others are tried again.
    mutating func left(_ gone: Set<ReadingDay>, of step: Step, now: ContinuousClock.Instant) {
        let byDay = Dictionary(grouping: gone, by: \.day)
        for (day, kinds) in byDay { left[day] = (Set(kinds.map(\.kind)), now) }
        endTurn(of: step.device, leaving: wanted[step.device, default: []].subtracting(byDay.keys))
    }

    /// A step failed: after a pause others go first, and a timeout halves the next steps.
    mutating func failed(_ step: Step, tookTooLong: Bool, now: ContinuousClock.Instant) {
        if tookTooLong { stepDays = max(1, stepDays / 2) }
        pause(now)
        endTurn(of: step.device, leaving: wanted[step.device, default: []])
    }

    private mutating func pause(_ now: ContinuousClock.Instant) {
        nextAt = now + backoff
        backoff = min(backoff * 2, Self.backoffMax)
    }

    /// The database refused a step, and will again.
    ///
    /// - Returns: the day that is to blame; nil while that is not known.
    mutating func refused(_ step: Step, now: ContinuousClock.Instant) -> Int32? {
        let day = step.days.lowerBound
        let isKnown = step.days.count == 1
        if isKnown {
            let failures = (resting[day]?.failures ?? 0) + 1
            let rest = min(Self.restMin * (1 << min(failures - 1, 20)), Self.restMax)
            if resting[day] != nil || resting.count < Self.restingMax {
                resting[day] = (failures, now + rest)
            }
            alone.remove(day)
        } else {
            alone.formUnion(step.days)
        }
        pause(now)
        let days = wanted[step.device, default: []]
        endTurn(of: step.device, leaving: isKnown ? days.subtracting([day]) : days)
        return isKnown ? day : nil
    }

    private mutating func endTurn(of device: Int64?, leaving days: Set<Int32>) {
        guard let index = turns.firstIndex(of: device), let before = wanted[device] else { return }
        turns.remove(at: index)
        pending += days.count - before.count
        wanted[device] = days.isEmpty ? nil : days
        if !days.isEmpty { turns.append(device) }
    }

    // MARK: Budgets

    private mutating func refill(_ now: ContinuousClock.Instant) {
        let gained = (now - allowanceAt) / .seconds(60) * perMinuteMax
        allowance = min(perMinuteMax, allowance + max(0, gained))
        allowanceAt = now
    }

    private func spent(by device: Int64, now: ContinuousClock.Instant) -> Int {
        guard let account = accounts[device], now - account.since < Self.accountWindow else {
            return 0
        }
        return account.made
    }

    private mutating func charge(_ device: Int64, _ days: Int, _ now: ContinuousClock.Instant) {
        let spent = spent(by: device, now: now)
        let since = spent > 0 ? accounts[device]?.since ?? now : now
        accounts[device] = (spent + days, since)
        guard accounts.count > Self.accountsMax else { return }
        let half = accounts.values.map(\.since).sorted()[accounts.count / 2]
        accounts = accounts.filter { $0.value.since > half }
    }
}
