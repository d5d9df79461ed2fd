import Foundation

/// What a statement did, by EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON).
struct PlanFigures: CustomStringConvertible {
    /// Partitions of which more than a row was read. A join looks for a first row before it knows
    /// that it has nothing to join.
    private(set) var partitions: Set<String> = []
    /// Rows read from partitions, with those that a filter then removed.
    private(set) var readings = 0
    /// Pages of tables and indexes.
    private(set) var pages = 0
    /// Rows that all nodes of the plan produced or removed, also by comparing them in a join.
    private(set) var work = 0

    /// The days with such partitions.
    var days: Set<String> { Set(partitions.map { String($0.suffix(8)) }) }

    private struct Statement: Decodable {
        let plan: Node
        enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }

    private struct Node: Decodable {
        let relation: String?
        let rows: Double
        let loops: Double
        let removed: [Double?]
        let hit: Int
        let read: Int
        let plans: [Node]

        enum CodingKeys: String, CodingKey, CaseIterable {
            case relation = "Relation Name"
            case rows = "Actual Rows"
            case loops = "Actual Loops"
            case byFilter = "Rows Removed by Filter"
            case byJoin = "Rows Removed by Join Filter"
            case byRecheck = "Rows Removed by Index Recheck"
            case hit = "Shared Hit Blocks"
            case read = "Shared Read Blocks"
            case plans = "Plans"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            relation = try values.decodeIfPresent(String.self, forKey: .relation)
            rows = try values.decode(Double.self, forKey: .rows)
            loops = try values.decode(Double.self, forKey: .loops)
            removed = try [.byFilter, .byJoin, .byRecheck].map {
                try values.decodeIfPresent(Double.self, forKey: $0)
            }
            hit = try values.decode(Int.self, forKey: .hit)
            read = try values.decode(Int.self, forKey: .read)
            plans = try values.decodeIfPresent([Node].self, forKey: .plans) ?? []
        }

        /// All rows that it has looked at.
        var handled: Int { Int((rows + removed.reduce(0) { $0 + ($1 ?? 0) }) * loops) }
    }

    /// - Parameter output: of psql, without alignment and heads: one document a statement.
    init(output: String) throws {
        var document = ""
        for line in output.split(separator: "\n") {
            document += line + "\n"
            guard line == "]" else { continue }
            let statements = try JSONDecoder().decode([Statement].self, from: Data(document.utf8))
            for statement in statements {
                pages += statement.plan.hit + statement.plan.read
                add(statement.plan)
            }
            document = ""
        }
    }

    private mutating func add(_ node: Node) {
        work += node.handled
        if let relation = node.relation, relation.contains(/_\d{8}$/) {
            readings += node.handled
            if node.handled > 1 { partitions.insert(relation) }
        }
        for plan in node.plans { add(plan) }
    }

    var description: String {
        "days \(days.count), readings \(readings), pages \(pages), work \(work)"
    }
}
