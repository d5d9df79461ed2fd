extension ServedGoals {
    /// Time from the request with a sentence to the result on the user's socket.
    func mealRow() throws -> GoalOutcome {
        try copy.clear()
        return try MealGoals(
            server: server, rate: 200, users: 50, connections: 32, seconds: isQuick ? 4 : 10,
            runs: pairs, name: "g\(seed)"
        ).latencyRow()
    }
}
