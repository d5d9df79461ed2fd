import Readings

/// A metric of Health Auto Export as a name or code of vitals (``Readings/HealthMetric``).
struct ExportedMetric {
    enum Identity: Equatable {
        case code(Int)
        case name(String)
    }

    /// Of the metric itself; its other figures, such as its minimum, have names that begin with its.
    let identity: Identity
    private let base: String
    private let unit: String

    static let nameLengthMax = 64

    /// - Parameters:
    ///   - name: as the app writes it.
    ///   - unit: as the app writes it.
    ///   - variant: a kind of the metric that a single point has, such as a phase of sleep.
    init(_ name: String, unit: String, variant: String? = nil) {
        base = Self.name([HealthMetric.name(inApp: Self.name([name])), variant ?? ""])
        self.unit = unit
        let code = variant == nil ? HealthMetric.code(of: base) : nil
        identity = code.map(Identity.code) ?? .name(base)
    }

    /// The identity of one of its figures, such as `deep` of a night's sleep.
    func identity(of figure: String) -> Identity {
        switch figure {
        case "qty", "Avg": identity
        default: .name(Self.name([base, figure]))
        }
    }

    /// A value in the unit that the metric has here.
    func converted(_ value: Double) -> Double {
        if identity == .code(21),
            let metres = HealthMetric.converted(value, from: unit, to: "m")
        {
            return metres
        }
        return HealthMetric.stored(value, in: unit)
    }

    /// Words joined to a name of a metric: small letters, digits and `_`, at most 64; `heartRate`
    /// becomes `heart_rate`.
    static func name(_ words: [String]) -> String {
        var name: [UInt8] = []
        let line = UInt8(ascii: "_")
        for word in words {
            if let last = name.last, last != line { name.append(line) }
            var isAfterSmall = false
            for byte in word.utf8.prefix(2 * nameLengthMax) where name.count < nameLengthMax {
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    // The first of several capitals begins a word.
                    if isAfterSmall { name.append(line) }
                    name.append(byte | 0x20)
                    isAfterSmall = false
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    name.append(byte)
                    isAfterSmall = true
                case UInt8(ascii: "."), UInt8(ascii: "-"):
                    name.append(byte)
                    isAfterSmall = false
                default:
                    if let last = name.last, last != line { name.append(line) }
                    isAfterSmall = false
                }
            }
        }
        while name.last == line { name.removeLast() }
        return String(decoding: name.prefix(nameLengthMax), as: UTF8.self)
    }
}
