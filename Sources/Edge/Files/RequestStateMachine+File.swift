/// A request that was looked for among the files in vain.
extension RequestStateMachine {
    /// The present request, whole and not answered, begins again: the router's, where it was
    /// somebody else's in the router's place.
    mutating func withdraw() {
        precondition(
            phase == .forwarding && requestEnded && !answered && !routerHasBegun,
            "BUG: withdrawn in phase \(phase)")
        answered = true
        phase = .idle
    }
}
