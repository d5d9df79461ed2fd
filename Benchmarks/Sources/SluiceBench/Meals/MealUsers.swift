/// The users of a run, named by their numbers, each with a token.
struct MealUsers: Sendable {
    let names: [String]
    let tokens: [String]

    /// - Parameter run: part of every name, so that no run receives another's results.
    init(run: String, count: Int, secret: String) {
        names = (0..<count).map { "\(run)-user-\($0)" }
        tokens = names.map { UserToken.token(user: $0, secret: secret) }
    }

    var count: Int { names.count }
}
