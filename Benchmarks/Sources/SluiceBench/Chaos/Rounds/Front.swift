import Fleet
import Load

/// The workload of the generator that loads one Sluice.
final class Front: Workload {
    private let clients: Clients
    private let number: Int

    init(_ clients: Clients, number: Int) {
        self.clients = clients
        self.number = number
    }

    func next() -> UInt64? { clients.next(number) }

    func render(_ ticket: UInt64, into body: inout ByteWriter) {
        clients.fleet.appendBody(of: clients.leaves(ticket), to: &body)
    }

    func headLines(_ ticket: UInt64) -> [UInt8] { clients.keyLine }

    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict {
        clients.answered(ticket, answer)
    }

    func lost(_ ticket: UInt64) -> Verdict { clients.lost(ticket, by: number) }
}
