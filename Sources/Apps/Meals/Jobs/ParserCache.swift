import Jobs
import Postgres

/// Keeps the parser for everybody's foods until they change.
actor ParserCache {
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

    /// The parser with foods of that version or a later one. Only one load runs at a time; other
    /// callers wait for it.
    func parser(version: Int64, _ database: Database) async throws -> any MealParser {
        while true {
            if let shelved, shelved.version >= version { return shelved.parser }
            let task = loading ?? load(database)
            loading = task
            let loaded = await task.result
            // The first caller to resume clears the task. If the load began before the change, the
            // loop loads again.
            if loading == task { loading = nil }
            let fresh = try loaded.get()
            if fresh.version >= shelved?.version ?? 0 { shelved = fresh }
        }
    }

    /// Builds the index on the connection's queue, where a long computation delays nobody else.
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
