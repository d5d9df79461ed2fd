/// Why a part of a file was not imported, although nothing is wrong with it.
public enum LeftOut: Hashable, Sendable {
    /// A unit of work, such as a capture, in what `sluice spool export` wrote.
    case unit(kind: String)
    /// A reading that was quarantined, and of which only the beginning was kept.
    case cut
    /// A measurement whose unit can't be converted to that of the metric.
    case otherUnit(of: String, is: String, insteadOf: String)
    /// A position without a time.
    case timeless
    /// A field that readings of that type do not have; the others of its reading are imported.
    case field(String)
}

extension LeftOut: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .unit(let kind): "units of work of kind \(kind): `sluice spool replay` stores them"
        case .cut: "quarantined readings that were kept only in part"
        case .otherUnit(let name, let unit, let wanted):
            "measurements of \(name) in \(unit), which can't be converted to \(wanted)"
        case .timeless: "positions without a time"
        case .field(let name): "values of \(name): readings of that type have none"
        }
    }
}
