/// What is known of an error beside its status and its sentence, for envelopes that have room for it.
struct ErrorProblem: Sendable, Equatable {
    /// For programs; nil: what follows from the status.
    var code: String?
    /// Which field of the request is to blame.
    var field: String?
}
