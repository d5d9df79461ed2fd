/// An error as an envelope gets it.
public struct ErrorProblem: Sendable, Equatable {
    /// Where in the body of the request the fault is.
    public enum Place: Sendable, Equatable {
        /// A byte, counted from the start.
        case offset(Int)
        /// A member of the JSON body: the keys that lead to it, then an index of the last one's
        /// array.
        ///
        /// - Parameter type: the kind of fault, for programs.
        case member(path: [String], index: Int?, type: String)
    }

    /// What the client is told, in prose.
    public let sentence: String
    /// Of the answer; some systems repeat it, or a code that follows from it.
    public let status: Int
    /// For programs; nil means the code that follows from the status.
    public var code: String?
    /// The field of the request that is at fault.
    public var field: String?
    /// nil: the fault is not in the body, or nobody knows where.
    public var place: Place?

    init(
        _ sentence: String, status: Int, code: String? = nil, field: String? = nil,
        place: Place? = nil
    ) {
        self.sentence = sentence
        self.status = status
        self.code = code
        self.field = field
        self.place = place
    }
}
