// MARK: Added by Tests/Mutation/mutate.py, in its copy only

/// The modules with mutants, the tests that look for them, and what these need.
@MainActor func keepWhatMutantsNeed(mutated: [String], tests: [String]) {
    package.targets.append(.target(name: "CMutants", path: "Tests/Mutation/CMutants"))
    for target in package.targets where mutated.contains(target.name) {
        target.dependencies.append("CMutants")
    }
    func names(_ target: Target) -> [String] {
        target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    var wanted = Set(tests)
    var next = tests
    while let name = next.popLast() {
        let target = package.targets.first { $0.name == name }
        for name in target.map(names) ?? [] where wanted.insert(name).inserted { next.append(name) }
    }
    package.products = []
    package.targets.removeAll { !wanted.contains($0.name) && $0.type != .plugin }
}
