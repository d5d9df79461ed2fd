import NIOCore
import Testing

@testable import Edge

@Suite struct TicketTableTests {
    private func entry(_ received: Int) -> IngestTicket {
        IngestTicket(
            handler: nil, account: FakeKeys.account, deviceID: "device", received: received,
            quarantined: 0, problems: [], reservedBytes: 0,
            startedAt: .uptimeNanoseconds(0))
    }

    @Test func `tickets stay distinct when their slots are reused`() {
        var table = TicketTable<IngestTicket>()
        var known: [UInt64: Int] = [:]
        var used: Set<UInt64> = []
        for round in 0..<1000 {
            let ticket = table.insert(entry(round))
            #expect(used.insert(ticket).inserted)
            known[ticket] = round
            if round % 3 != 0, let some = known.keys.min() {
                #expect(table.remove(some).received == known.removeValue(forKey: some))
            }
        }
        #expect(table.count == known.count)
        for (ticket, received) in known { #expect(table.remove(ticket).received == received) }
        #expect(table.count == 0)
    }

    @Test func `tickets of two tables are distinct`() {
        var batches = TicketTable<Int>()
        var units = TicketTable<Int>(mark: LoopSockets.mark)
        for number in 0..<100 {
            #expect(!LoopSockets.isTicket(batches.insert(number)))
            let ticket = units.insert(number)
            #expect(LoopSockets.isTicket(ticket))
            if number % 2 == 0 { #expect(units.remove(ticket) == number) }
        }
    }
}
