import NIOCore
import Scanner
import Testing

@testable import HTTP
@testable import HTTPSupport

@Suite struct TicketTableTests {
    private func entry(_ received: Int) -> IngestTicket {
        IngestTicket(
            handler: nil, format: .ingest, head: .none, account: FakeKeys.account,
            deviceID: "device", received: received,
            quarantined: 0, problems: [], ignored: IgnoredFields(), reservedBytes: 0,
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
}
