/// What to do with a request that was answered or lost.
public enum Verdict: Sendable, Equatable {
    case done
    case again(afterNanoseconds: UInt64)
}
