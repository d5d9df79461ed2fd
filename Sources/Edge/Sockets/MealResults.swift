import Meals

/// Where sessions get the results that nobody has had, and say which ones their clients have.
protocol MealResults: Sendable {
    /// Oldest first, a page at a time.
    ///
    /// - Parameter id: of the last one of the page before; 0 for the first page.
    /// - Returns: a page, and whether another may follow.
    func page(of user: String, after id: Int64) async throws -> MealResultPage

    /// A socket has it. Never blocks.
    func delivered(_ id: Int64)

    /// Waits until what was said to be delivered is written down, for some seconds at most.
    func finish() async
}

/// Some of the results that nobody has had.
struct MealResultPage: Sendable {
    var results: [MealResult]
    /// The last id that was looked at; nil: there are no more.
    var next: Int64?
}
