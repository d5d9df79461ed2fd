/// Decides who may start a process next. Users take turns. A user gets a share of the places, and
/// so do all users of one origin together, so that a client with many names leaves a place for
/// others. It only decides; ``InspectionLane`` acts.
struct InspectionTurns {
    enum Answer: Equatable {
        case go
        case wait
        case refused
    }

    /// Processes at once. One origin may have one fewer, and one user another one fewer, but each
    /// at least one.
    let atOnceMax: Int
    /// Waiting requests of all users. One origin may have four fifths.
    let waitingMax: Int
    /// Waiting requests of one user.
    let waitingPerUserMax: Int
    private(set) var runningCount = 0
    private(set) var waitingCount = 0
    private var running: [InspectionClient: Int] = [:]
    private var runningOfOrigin: [InspectionClient.Origin: Int] = [:]
    private var waitingOfOrigin: [InspectionClient.Origin: Int] = [:]
    /// Tickets, the oldest first.
    private var waiting: [InspectionClient: [Int]] = [:]
    /// Clients with waiting requests, in the order of their next turn.
    private var clients: [InspectionClient] = []

    private var perOriginMax: Int { max(1, atOnceMax - 1) }
    private var perUserMax: Int { max(1, atOnceMax - 2) }
    private var waitingPerOriginMax: Int { max(waitingPerUserMax, waitingMax / 5 * 4) }

    init(atOnceMax: Int, waitingMax: Int, waitingPerUserMax: Int) {
        precondition(atOnceMax > 0, "BUG: atOnceMax=\(atOnceMax)")
        self.atOnceMax = atOnceMax
        self.waitingMax = waitingMax
        self.waitingPerUserMax = waitingPerUserMax
    }

    /// - Parameter ticket: unique.
    mutating func ask(_ ticket: Int, of client: InspectionClient) -> Answer {
        if mayRun(client) {
            start(client)
            return .go
        }
        let own = waiting[client]?.count ?? 0
        guard waitingCount < waitingMax, own < waitingPerUserMax,
            waitingOfOrigin[client.origin, default: 0] < waitingPerOriginMax
        else { return .refused }
        if own == 0 { clients.append(client) }
        waiting[client, default: []].append(ticket)
        waitingOfOrigin[client.origin, default: 0] += 1
        waitingCount += 1
        return .wait
    }

    /// Ends a turn of the client.
    ///
    /// - Returns: the ticket whose turn begins.
    mutating func end(of client: InspectionClient) -> Int? {
        Self.subtract(client, from: &running)
        Self.subtract(client.origin, from: &runningOfOrigin)
        runningCount -= 1
        guard let index = clients.firstIndex(where: mayRun) else { return nil }
        let next = clients.remove(at: index)
        guard let ticket = waiting[next]?.removeFirst() else {
            preconditionFailure("BUG: a client who waits for nothing")
        }
        noteEndOfWait(of: next)
        if waiting[next]?.isEmpty == true { waiting[next] = nil } else { clients.append(next) }
        start(next)
        return ticket
    }

    /// Removes a waiting request.
    ///
    /// - Returns: false when the ticket was not waiting.
    mutating func giveUp(_ ticket: Int, of client: InspectionClient) -> Bool {
        guard let index = waiting[client]?.firstIndex(of: ticket) else { return false }
        waiting[client]?.remove(at: index)
        noteEndOfWait(of: client)
        if waiting[client]?.isEmpty == true {
            waiting[client] = nil
            clients.removeAll { $0 == client }
        }
        return true
    }

    /// Removes all waiting requests.
    mutating func giveUpAll() {
        waiting = [:]
        waitingOfOrigin = [:]
        clients = []
        waitingCount = 0
    }

    private func mayRun(_ client: InspectionClient) -> Bool {
        runningCount < atOnceMax && running[client, default: 0] < perUserMax
            && runningOfOrigin[client.origin, default: 0] < perOriginMax
    }

    private mutating func start(_ client: InspectionClient) {
        running[client, default: 0] += 1
        runningOfOrigin[client.origin, default: 0] += 1
        runningCount += 1
    }

    private mutating func noteEndOfWait(of client: InspectionClient) {
        Self.subtract(client.origin, from: &waitingOfOrigin)
        waitingCount -= 1
    }

    private static func subtract<Key>(_ key: Key, from counts: inout [Key: Int]) {
        guard let count = counts[key] else { preconditionFailure("BUG: nothing to end") }
        counts[key] = count == 1 ? nil : count - 1
    }
}
