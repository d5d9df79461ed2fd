/// What a batch has and nothing reads.
struct ReferenceIgnored {
    private(set) var count = 0
    /// UTF-8.
    private(set) var names: [[UInt8]] = []

    /// - Parameter isNamed: it is among the first fields of its object.
    mutating func add(_ member: JSONNode.Member, inside prefix: String = "", isNamed: Bool = true) {
        guard !member.value.isNull else { return }
        count += 1
        guard isNamed, member.keyBytes < 64, let name = member.key.utf8 else { return }
        add(name: Array(prefix.utf8) + name)
    }

    private mutating func add(name: [UInt8]) {
        if names.count < Choices.ignoredNamesMax, !names.contains(name) { names.append(name) }
    }

    /// Adds the members of a valid reading that its kind does not have: the unknown ones first.
    mutating func add(_ members: [JSONNode.Member], own: [String]) {
        let given = members.filter { !$0.value.isNull }
        let known = ReferenceReading.knownKeys
        let unknown = given.filter { member in !known.contains { member.key.is($0) } }
        for (place, member) in unknown.enumerated() {
            add(member, isNamed: place < Choices.ignoredNamesMax)
        }
        for key in known where !own.contains(key) {
            // A known key counts once, whatever escapes it is sent with.
            guard given.contains(where: { $0.key.is(key) }) else { continue }
            count += 1
            add(name: Array(key.utf8))
        }
    }
}
