/// One of those that take turns: a loop of the core, a client, somebody who breaks things.
final class Fiber {
    enum State {
        case ready
        case running
        /// Nanoseconds since the run began; nil: until it is woken.
        case waiting(until: Int64?)
        case ended
    }

    /// In the order of birth; stands for the fiber in the trace.
    let number: Int
    let name: String
    /// The process it belongs to; nil for what is outside of all processes.
    var life: Life?
    let thread: FiberThread
    var state = State.ready

    init(number: Int, name: String, life: Life?, thread: FiberThread) {
        self.number = number
        self.name = name
        self.life = life
        self.thread = thread
    }
}
