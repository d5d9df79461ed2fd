/// Why nothing is known of a file.
public enum InspectionFailure: Error, Equatable, Sendable {
    /// No library can read it.
    case unreadable
    /// It has more pixels than are decoded.
    case tooManyPixels
    /// The process that looked into it crashed, or needed more than it may have.
    case overLimits(InspectionEnd)
    /// The server stops, or nobody wants to know any more.
    case stopped
    /// There is no process to look into it, by no fault of the file.
    case notStarted(errno: Int32)

    /// Another try would end the same way.
    var isOfTheFile: Bool {
        switch self {
        case .unreadable, .tooManyPixels, .overLimits: true
        case .stopped, .notStarted: false
        }
    }
}

/// How a process ended that has not answered as it should.
public enum InspectionEnd: Equatable, Sendable {
    /// It was killed when its time was over.
    case late
    /// It was killed, for it said too much.
    case loud
    /// By this signal: of a limit (SIGXCPU, SIGALRM, SIGKILL) or of a crash.
    case signalled(Int32)
    /// With this status, and without an answer that makes sense.
    case exited(Int32)
}
