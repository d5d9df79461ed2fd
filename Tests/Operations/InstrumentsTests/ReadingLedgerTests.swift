import Instruments
import TestSupport
import Testing

@Suite struct ReadingLedgerTests {
    @Test func `each operation moves readings between its own columns`() {
        let ledger = ReadingLedger()
        ledger.receive(10)
        #expect(ledger.snapshot.inFlight == 10)
        ledger.settle(stored: 4, duplicates: 2, quarantined: 1)
        ledger.refuse(2)
        let book = ledger.snapshot
        #expect(book.received == 10)
        #expect(book.stored == 4)
        #expect(book.duplicates == 2)
        #expect(book.quarantined == 1)
        #expect(book.refused == 2)
        #expect(book.inFlight == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `every snapshot balances while many threads keep the books`() async {
        let ledger = ReadingLedger()
        let writers = 4
        let rounds = 5_000
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var random = Dice(seed: seed &+ UInt64(writer))
                    for _ in 0..<rounds {
                        let count = Int(random.next() % 1000)
                        ledger.receive(count)
                        if random.next() % 4 == 0 {
                            ledger.refuse(count)
                        } else {
                            let stored = count == 0 ? 0 : Int(random.next() % UInt64(count))
                            let duplicates = (count - stored) / 2
                            ledger.settle(
                                stored: stored, duplicates: duplicates,
                                quarantined: count - stored - duplicates)
                        }
                    }
                }
            }
            group.addTask {
                var last = 0
                for _ in 0..<rounds {
                    let book = ledger.snapshot
                    #expect(book.isBalanced && book.inFlight >= 0, "seed \(seed): \(book)")
                    #expect(book.received >= last, "seed \(seed)")
                    last = book.received
                }
            }
        }
        #expect(ledger.snapshot.inFlight == 0, "seed \(seed)")
        #expect(ledger.snapshot.isBalanced)
    }

    @Test func `settling more than is in flight is a bug`() async {
        await #expect(processExitsWith: .failure) {
            let ledger = ReadingLedger()
            ledger.receive(1)
            ledger.settle(stored: 2, duplicates: 0, quarantined: 0)
        }
    }
}
