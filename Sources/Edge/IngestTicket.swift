import Access
import NIOCore
import Scanning

/// A batch that a connection has given to the lanes and heard nothing of yet.
struct IngestTicket {
    /// Who waits; nil when the client is gone or was told that it takes too long.
    var handler: IngestHandler?
    /// Whose bytes they are.
    let account: KeyAccount
    /// The envelope's device.
    let deviceID: String
    /// Readings in flight, as the ledger has them.
    let received: Int
    /// What the scanner set aside of them.
    let quarantined: Int
    let problems: [Problem]
    let reservedBytes: Int
    /// When the request's head had come.
    let startedAt: NIODeadline
}
