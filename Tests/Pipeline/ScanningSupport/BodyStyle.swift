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
        /// Any white space anywhere, up to three bytes of it.
        case random
    }

    enum Order {
        /// One arbitrary order for the whole life of the client: a hash seed, as in Swift.
        case fixed(salt: UInt64)
        case asListed
        /// Another order for each object.
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
