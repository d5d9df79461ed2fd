import TestSupport
import Testing

@testable import Media

@Suite struct InspectionTurnsTests {
    @Test func `one user leaves a slot for another, and is refused beyond a share`() {
        var turns = InspectionTurns(atOnceMax: 2, waitingMax: 5, waitingPerUserMax: 2)
        #expect(turns.ask(1, of: "a") == .go)
        #expect(turns.ask(2, of: "a") == .wait)
        #expect(turns.ask(3, of: "a") == .wait)
        #expect(turns.ask(4, of: "a") == .refused)
        #expect(turns.ask(5, of: "b") == .go)
        #expect(turns.ask(6, of: "c") == .wait)
        // In the order in which users began to wait, one at a time.
        #expect(turns.end(of: "b") == 6)
        #expect(turns.end(of: "a") == 2)
        #expect(turns.end(of: "a") == 3)
        #expect(turns.end(of: "a") == nil)
        #expect(turns.end(of: "c") == nil)
        #expect(turns.runningCount == 0 && turns.waitingCount == 0)
    }

    @Test func `with one slot, users share it`() {
        var turns = InspectionTurns(atOnceMax: 1, waitingMax: 9, waitingPerUserMax: 9)
        #expect(turns.ask(1, of: "a") == .go)
        #expect(turns.ask(2, of: "a") == .wait)
        #expect(turns.ask(3, of: "b") == .wait)
        #expect(turns.ask(4, of: "a") == .wait)
        #expect(turns.end(of: "a") == 2)
        // Users take turns: the next is not "a" again.
        #expect(turns.end(of: "a") == 3)
        #expect(turns.giveUp(4, of: "a") && !turns.giveUp(4, of: "a"))
        #expect(turns.end(of: "b") == nil)
    }

    /// Compared with a model that only counts.
    @Test(arguments: 0..<50)
    func `no limit is exceeded, nobody is forgotten, and no slot stays empty`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let atOnceMax = Int.random(in: 1...4, using: &dice)
        let (waitingMax, ownMax) = (
            Int.random(in: 0...12, using: &dice), Int.random(in: 0...6, using: &dice)
        )
        var turns = InspectionTurns(
            atOnceMax: atOnceMax, waitingMax: waitingMax, waitingPerUserMax: ownMax)
        let perUserMax = max(1, atOnceMax - 1)
        var owners: [Int: String] = [:]
        var running: [Int] = []
        var waiting: [Int] = []
        func count(_ tickets: [Int], of user: String) -> Int {
            tickets.count { owners[$0] == user }
        }
        for ticket in 0..<2000 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0..<5:
                let user = ["a", "b", "c", "d"].randomElement(using: &dice) ?? "a"
                owners[ticket] = user
                switch turns.ask(ticket, of: user) {
                case .go: running.append(ticket)
                case .wait: waiting.append(ticket)
                case .refused:
                    #expect(waiting.count >= waitingMax || count(waiting, of: user) >= ownMax)
                }
            case 5..<9:
                guard let ended = running.randomElement(using: &dice) else { continue }
                running.removeAll { $0 == ended }
                guard let next = turns.end(of: try #require(owners[ended])) else { continue }
                // The user's earliest request is next.
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
            for user in Set(owners.values) {
                #expect(count(running, of: user) <= perUserMax)
                #expect(count(waiting, of: user) <= ownMax)
                let mayRun = running.count < atOnceMax && count(running, of: user) < perUserMax
                #expect(!mayRun || count(waiting, of: user) == 0, "seed \(seed)")
            }
        }
    }
}
