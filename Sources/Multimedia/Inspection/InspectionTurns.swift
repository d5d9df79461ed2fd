/// Who may start a process next: users in turn, none with all of the places. A value that decides;
/// ``InspectionLane`` acts.
struct InspectionTurns {
    enum Answer: Equatable {
        case go
        case wait
        case refused
    }

    /// Processes at once. One user has one less, but at least one.
    let atOnceMax: Int
    /// Who may wait, of all users.
    let waitingMax: Int
    /// Who may wait, of one user.
    let waitingPerUserMax: Int
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var running: [String: Int] = [:]
    /// Tickets, the oldest first.
    private var waiting: [String: [Int]] = [:]
    /// Those who wait; the first has waited longest since the last turn.
    private var users: [String] = []

    private var perUserMax: Int { max(1, atOnceMax - 1) }

    init(atOnceMax: Int, waitingMax: Int, waitingPerUserMax: Int) {
        precondition(atOnceMax > 0, "BUG: atOnceMax=\(atOnceMax)")
        self.atOnceMax = atOnceMax
        self.waitingMax = waitingMax
        self.waitingPerUserMax = waitingPerUserMax
    }

    /// - Parameter ticket: no other's.
    mutating func ask(_ ticket: Int, of user: String) -> Answer {
        if mayRun(user) {
            start(user)
            return .go
        }
        let own = waiting[user]?.count ?? 0
        guard waitingCount < waitingMax, own < waitingPerUserMax else { return .refused }
        if own == 0 { users.append(user) }
        waiting[user, default: []].append(ticket)
        waitingCount += 1
        return .wait
    }

    /// A turn of the user's has ended.
    ///
    /// - Returns: whose turn begins.
    mutating func end(of user: String) -> Int? {
        guard let count = running[user] else { preconditionFailure("BUG: no turn to end") }
        running[user] = count == 1 ? nil : count - 1
        runningCount -= 1
        guard let index = users.firstIndex(where: mayRun) else { return nil }
        let next = users.remove(at: index)
        guard let ticket = waiting[next]?.removeFirst() else {
            preconditionFailure("BUG: a user who waits for nothing")
        }
        waitingCount -= 1
        if waiting[next]?.isEmpty == true { waiting[next] = nil } else { users.append(next) }
        start(next)
        return ticket
    }

    /// Somebody does not wait any longer.
    ///
    /// - Returns: false when the ticket was not waiting.
    mutating func giveUp(_ ticket: Int, of user: String) -> Bool {
        guard let index = waiting[user]?.firstIndex(of: ticket) else { return false }
        waiting[user]?.remove(at: index)
        waitingCount -= 1
        if waiting[user]?.isEmpty == true {
            waiting[user] = nil
            users.removeAll { $0 == user }
        }
        return true
    }

    /// Nobody waits any longer.
    mutating func giveUpAll() {
        waiting = [:]
        users = []
        waitingCount = 0
    }

    private func mayRun(_ user: String) -> Bool {
        runningCount < atOnceMax && running[user, default: 0] < perUserMax
    }

    private mutating func start(_ user: String) {
        running[user, default: 0] += 1
        runningCount += 1
    }
}
