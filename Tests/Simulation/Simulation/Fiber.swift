/// A participant that is scheduled in turn: a loop of the core, a client, or a source of faults.
final class Fiber {
    enum State {
        case ready
        case running
        /// Nanoseconds since the run began; nil: until another fiber wakes it.
        case waiting(until: Int64?)
        case ended
    }

    /// Numbered in order of creation; identifies the fiber in the trace.
    let number: Int
    let name: String
    /// The process that the fiber belongs to; nil for fibers outside all processes.
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
