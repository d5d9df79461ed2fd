/// What goals with servers of their own are measured with.
struct GoalPlan {
    /// The server binary, built for release.
    let binary: String
    /// Settings of each server, as KEY=value.
    let settings: [String]
    let pairs: Int
    /// Shorter runs.
    let isQuick: Bool
    let seed: UInt64
}
