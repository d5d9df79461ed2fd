import TestSupport
import Testing

@testable import Media

@Suite struct InspectionTurnsTests {
    private func client(_ user: String, _ address: String? = nil) -> InspectionClient {
        InspectionClient(user: user, of: address.map { .address($0) })
    }

    @Test func `one user leaves a slot for another, and is refused beyond a share`() {
        var turns = InspectionTurns(atOnceMax: 2, waitingMax: 5, waitingPerUserMax: 2)
        let (a, b, c) = (client("a"), client("b"), client("c"))
        #expect(turns.ask(1, of: a) == .go)
        #expect(turns.ask(2, of: a) == .wait)
        #expect(turns.ask(3, of: a) == .wait)
        #expect(turns.ask(4, of: a) == .refused)
        #expect(turns.ask(5, of: b) == .go)
        #expect(turns.ask(6, of: c) == .wait)
        // In the order in which users began to wait, one at a time.
        #expect(turns.end(of: b) == 6)
        #expect(turns.end(of: a) == 2)
        #expect(turns.end(of: a) == 3)
        #expect(turns.end(of: a) == nil)
        #expect(turns.end(of: c) == nil)
        #expect(turns.runningCount == 0 && turns.waitingCount == 0)
    }

    @Test func `with one slot, users share it`() {
        var turns = InspectionTurns(atOnceMax: 1, waitingMax: 9, waitingPerUserMax: 9)
        let (a, b) = (client("a"), client("b"))
        #expect(turns.ask(1, of: a) == .go)
        #expect(turns.ask(2, of: a) == .wait)
        #expect(turns.ask(3, of: b) == .wait)
        #expect(turns.ask(4, of: a) == .wait)
        #expect(turns.end(of: a) == 2)
        // Users take turns: the next is not "a" again.
        #expect(turns.end(of: a) == 3)
        #expect(turns.giveUp(4, of: a) && !turns.giveUp(4, of: a))
        #expect(turns.end(of: b) == nil)
    }

    @Test func `many names of one address leave a slot and room to wait for others`() {
        var turns = InspectionTurns(atOnceMax: 4, waitingMax: 100, waitingPerUserMax: 10)
        let answers = (0..<200).map { turns.ask($0, of: client("n\($0)", "1")) }
        #expect(answers.count { $0 == .go } == 3 && answers.count { $0 == .wait } == 80)
        // One name of an address leaves a slot for another.
        #expect(turns.end(of: client("n0", "1")) == 3)
        #expect(turns.ask(1000, of: client("n1", "2")) == .go)
        #expect(turns.ask(1001, of: client("x", "2")) == .wait)
        #expect(turns.end(of: client("n1", "2")) == 1001)
        var others = InspectionTurns(atOnceMax: 4, waitingMax: 100, waitingPerUserMax: 10)
        #expect((0..<9).count { others.ask($0, of: client("a", "1")) == .go } == 2)
        #expect(others.ask(9, of: client("b", "1")) == .go)
        #expect(others.ask(10, of: client("c", "1")) == .wait)
    }

    /// Compared with a model that only counts.
    @Test(arguments: 0..<50)
    func `no limit is exceeded, nobody is forgotten, and no slot stays empty`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let atOnceMax = Int.random(in: 1...5, using: &dice)
        let (waitingMax, ownMax) = (
            Int.random(in: 0...12, using: &dice), Int.random(in: 0...6, using: &dice)
        )
        var turns = InspectionTurns(
            atOnceMax: atOnceMax, waitingMax: waitingMax, waitingPerUserMax: ownMax)
        let (perOriginMax, perUserMax) = (max(1, atOnceMax - 1), max(1, atOnceMax - 2))
        let waitingPerOriginMax = max(ownMax, waitingMax / 5 * 4)
        var owners: [Int: InspectionClient] = [:]
        var clients: Set<InspectionClient> = []
        var running: [Int] = []
        var waiting: [Int] = []
        func count(_ tickets: [Int], of client: InspectionClient) -> Int {
            tickets.count { owners[$0] == client }
        }
        func count(_ tickets: [Int], from origin: InspectionClient.Origin) -> Int {
            tickets.count { owners[$0]?.origin == origin }
        }
        for ticket in 0..<2000 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0..<5:
                let name = ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
                let client = client(name, ["1", "2", nil].randomElement(using: &dice) ?? nil)
                owners[ticket] = client
                clients.insert(client)
                switch turns.ask(ticket, of: client) {
                case .go: running.append(ticket)
                case .wait: waiting.append(ticket)
                case .refused:
                    #expect(
                        waiting.count >= waitingMax || count(waiting, of: client) >= ownMax
                            || count(waiting, from: client.origin) >= waitingPerOriginMax)
                }
            case 5..<9:
                guard let ended = running.randomElement(using: &dice) else { continue }
                running.removeAll { $0 == ended }
                guard let next = turns.end(of: try #require(owners[ended])) else { continue }
                // The client's earliest request is next.
                #expect(waiting.first { owners[$0] == owners[next] } == next)
                waiting.removeAll { $0 == next }
                running.append(next)
            default:
                guard let gone = waiting.randomElement(using: &dice) else { continue }
                #expect(turns.giveUp(gone, of: try #require(owners[gone])))
                waiting.removeAll { $0 == gone }
            }
            #expect(turns.runningCount == running.count && turns.waitingCount == waiting.count)
            #expect(running.count <= atOnceMax && waiting.count <= waitingMax)
            for client in clients {
                let ofOrigin = count(running, from: client.origin)
                #expect(count(running, of: client) <= perUserMax && ofOrigin <= perOriginMax)
                #expect(count(waiting, of: client) <= ownMax)
                let mayRun =
                    running.count < atOnceMax && count(running, of: client) < perUserMax
                    && ofOrigin < perOriginMax
                #expect(!mayRun || count(waiting, of: client) == 0, "seed \(seed)")
            }
        }
    }
}
