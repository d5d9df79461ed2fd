import Auth
import NIOCore
import Scanner

/// A batch that a connection has offered to the lanes and that has no outcome yet.
struct IngestTicket {
    /// The handler to answer; nil if the client is gone or has been told that the outcome is late.
    var handler: ConnectionHandler?
    let format: InputFormat
    let head: InputRequest
    /// The key whose bytes they are.
    let account: KeyLimits
    /// The envelope's device.
    let deviceID: String
    /// Readings in flight, as counted in the ledger.
    let received: Int
    /// Readings that the scanner quarantined.
    let quarantined: Int
    let problems: [Problem]
    let ignored: IgnoredFields
    let reservedBytes: Int
    /// When the request's head had arrived.
    let startedAt: NIODeadline
}
