/// How a client writes its JSON.
struct BodyStyle {
    var space: Space
    var order: Order

    enum Space {
        /// None at all, as encoders do by default.
        case none
        /// `": "` and `", "`, as many scripting languages do.
        case narrow
        /// Indented by two.
        case indented
        /// Any white space anywhere, up to three bytes each.
        case random
    }

    enum Order {
        /// One arbitrary order for the client's whole life, as from Swift's hash seed.
        case fixed(salt: UInt64)
        case asListed
        /// A new order for each object.
        case shuffled
    }

    init(using random: inout SeededGenerator) {
        space = random.pick([.none, .none, .none, .none, .narrow, .indented, .random])
        switch random.below(4) {
        case 0: order = .asListed
        case 1: order = .shuffled
        default: order = .fixed(salt: random.next())
        }
    }
}
