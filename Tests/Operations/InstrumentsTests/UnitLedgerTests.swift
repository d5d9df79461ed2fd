import Instruments
import Testing

@Suite struct UnitLedgerTests {
    @Test func `each unit leaves flight by one way`() {
        let ledger = UnitLedger()
        for _ in 0..<5 { ledger.receive() }
        ledger.record()
        ledger.spool()
        ledger.refuse()
        ledger.turnAway()
        let book = ledger.snapshot
        #expect(book.isBalanced && book.received == 5 && book.inFlight == 1)
        #expect([book.recorded, book.spooled, book.refused, book.turnedAway] == [1, 1, 1, 1])
    }

    @Test func `a unit that was never received can't be answered`() async {
        await #expect(processExitsWith: .failure) { UnitLedger().record() }
    }

    @Test func `what was found and written comes back, is set aside, is lost or waits`() {
        let ledger = SpooledUnitLedger()
        ledger.find(10)
        ledger.write(5)
        ledger.settle(recorded: 6, setAside: 2)
        ledger.lose(3)
        let book = ledger.snapshot
        #expect(book.isBalanced && book.waiting == 4)
    }

    @Test func `more than was in the spool can't come back`() async {
        await #expect(processExitsWith: .failure) {
            let ledger = SpooledUnitLedger()
            ledger.write(1)
            ledger.settle(recorded: 1, setAside: 1)
        }
    }
}
