import Postgres

/// The parser with everybody's foods in it, kept until they change.
actor FoodShelf {
    private struct Shelved {
        let version: Int64
        let parser: any MealParser
    }

    private let makeParser: @Sendable (FoodIndex) -> any MealParser
    private var shelved: Shelved?
    private var loading: Task<Shelved, any Error>?

    init(_ makeParser: @escaping @Sendable (FoodIndex) -> any MealParser) {
        self.makeParser = makeParser
    }

    /// The parser with foods of that version or of a later one; loads them at most once at a time,
    /// and whoever asks meanwhile waits.
    func parser(version: Int64, _ database: Database) async throws -> any MealParser {
        while true {
            if let shelved, shelved.version >= version { return shelved.parser }
            let task = loading ?? load(database)
            loading = task
            let loaded = await task.result
            // Of all who waited the first takes it; a load that began before the change is done
            // again.
            if loading == task { loading = nil }
            let fresh = try loaded.get()
            if fresh.version >= shelved?.version ?? 0 { shelved = fresh }
        }
    }

    /// The index is made on the connection's queue, where taking time hurts nobody.
    private func load(_ database: Database) -> Task<Shelved, any Error> {
        let makeParser = makeParser
        return Task {
            try await database.withConnection { connection in
                let (version, index) = try StoredFoods.everybodys(on: connection)
                return Shelved(version: version, parser: makeParser(index))
            }
        }
    }
}
