/// Why a part of a file was not imported, although nothing is wrong with it.
public enum LeftOut: Hashable, Sendable {
    /// A unit of work, such as a capture, in what `sluice spool export` wrote.
    case unit(kind: String)
    /// A reading that was quarantined, and of which only the beginning was kept.
    case cut
    /// A position without a time.
    case timeless
    /// A point of a route or a waypoint, which nobody has been at.
    case plan
    /// An element of XML that has no readings, or too many parts.
    case element(String)
    /// A file of a zip whose form is not known.
    case file(String)
    /// A field that readings of that type do not have; the others of its reading are imported.
    case field(String)
}

extension LeftOut: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .unit(let kind): "units of work of kind \(kind): `sluice spool replay` stores them"
        case .cut: "quarantined readings that were kept only in part"
        case .timeless: "positions without a time"
        case .plan:
            "points of routes and waypoints: they are plans; positions are points of tracks, with "
                + "their times"
        case .element(let name): "elements \(name), which are no readings"
        case .file(let name): "files \(name), which are of no form that is known"
        case .field(let name): "values of \(name): readings of that type have none"
        }
    }
}
