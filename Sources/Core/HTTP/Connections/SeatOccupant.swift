import NIOCore
import Synchronization

/// Handles a connection, and can close it if another one needs its place.
protocol SeatOccupant: AnyObject {
    /// How the connection rests; nil while a request is under way, whose connection must not be
    /// closed.
    func rest(now: NIODeadline) -> ConnectionRest?

    /// Closes the connection, which rests.
    func giveWay()
}
