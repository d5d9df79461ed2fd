import NIOCore
import Synchronization

/// The place of one connection, and what handles the connection now. Belongs to its event loop.
final class ConnectionSeat {
    let address: ClientAddress?
    /// Of its place; see ``ConnectionPlaces``.
    private(set) var kind: ConnectionPlaces.Kind
    /// Whoever can close the connection. Not weak, which would make each reference to it slower;
    /// the two refer to each other until ``ConnectionLoop/leave(_:)``.
    private(set) var occupant: (any SeatOccupant)?
    /// Index in the loop's list of seats; -1 once it is given back.
    private(set) var index = -1

    init(address: ClientAddress?, _ kind: ConnectionPlaces.Kind) {
        self.address = address
        self.kind = kind
    }

    var isSurplus: Bool { kind == .surplus }

    /// Has taken a place that serves everything.
    func promoted() { kind = .regular }

    func move(to index: Int) { self.index = index }

    /// From now on `occupant` handles the connection.
    func occupy(_ occupant: any SeatOccupant) {
        if index >= 0 { self.occupant = occupant }
    }

    /// The place is given back.
    func leave() {
        index = -1
        occupant = nil
    }
}
