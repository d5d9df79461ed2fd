/// What a field of a request's head means to a GET of a stored file.
enum FileField {
    case host
    case origin
    case apiKey
    case authorization
    /// It asks for something else than the whole file.
    case special
    /// No route that serves files looks at it.
    case irrelevant

    /// - Parameters:
    ///   - length: of its name.
    ///   - isNamed: compares the name without regard to case.
    @inline(always)
    init(length: Int, isNamed: (StaticString) -> Bool) {
        switch length {
        case 4 where isNamed("host"): self = .host
        case 6 where isNamed("origin"): self = .origin
        case 9 where isNamed("x-api-key"): self = .apiKey
        case 13 where isNamed("authorization"): self = .authorization
        case 5 where isNamed("range"), 6 where isNamed("expect"), 7 where isNamed("upgrade"),
            8 where isNamed("if-range") || isNamed("if-match"), 13 where isNamed("if-none-match"),
            17 where isNamed("if-modified-since") || isNamed("transfer-encoding"),
            19 where isNamed("if-unmodified-since"):
            self = .special
        default: self = .irrelevant
        }
    }
}
