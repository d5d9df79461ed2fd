import JSONText
import Readings

/// Produces the text of a track format. Its members are called in the order in which they are
/// declared.
protocol TrackWriter {
    var limits: TrackCutter.Limits { get }
    var head: String { get }
    /// Starts a device's track.
    mutating func begin(_ device: String) -> String
    mutating func write(_ step: TrackCutter.Step) -> String
    /// Ends the device's track, with these last steps.
    mutating func end(_ steps: [TrackCutter.Step]) -> String
    var tail: String { get }
}

/// GPX 1.1.
///
/// - Source: the schema at http://www.topografix.com/GPX/1/1/gpx.xsd, which requires decimals
///   without exponents and a longitude below 180.
struct GPXWriter: TrackWriter {
    let limits = TrackCutter.Limits()

    let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Sluice" xmlns="http://www.topografix.com/GPX/1/1">

        """
    let tail = "</gpx>\n"

    func begin(_ device: String) -> String {
        "<trk><name>\(Self.escape(device))</name>\n"
    }

    func write(_ step: TrackCutter.Step) -> String {
        switch step {
        case .begin(let position): "<trkseg>\n" + Self.point(position)
        case .go(let position): Self.point(position)
        case .end: "</trkseg>\n"
        }
    }

    func end(_ steps: [TrackCutter.Step]) -> String {
        steps.map(write).joined() + "</trk>\n"
    }

    private static func point(_ position: Position) -> String {
        let longitude = position.longitude == 180 ? -180 : position.longitude
        let time = Timestamp(microseconds: position.microseconds)
        return "<trkpt lat=\"\(position.latitude.plainDecimal)\" lon=\"\(longitude.plainDecimal)\">"
            + "<time>\(time.microsecondsText)</time></trkpt>\n"
    }

    /// Characters that XML 1.0 does not allow become U+FFFD.
    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            // An XML reader would normalize these characters if they were not escaped.
            case "\t", "\n", "\r":
                escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

/// RFC 7946: a FeatureCollection with a LineString for each stretch, or a Point if it has only one
/// position. `coordTimes` has the time of each position, as converters from GPX write it.
///
/// The times follow the coordinates, so both are held in memory until the feature ends.
struct GeoJSONWriter: TrackWriter {
    let limits = TrackCutter.Limits(
        positionsMax: Export.featurePositionsMax, endsAtAntimeridian: true)

    let head = "{\"type\":\"FeatureCollection\",\"features\":["
    let tail = "\n]}\n"

    private var device = ""
    private var isFirst = true
    private var coordinates = ""
    private var times = ""
    private var count = 0

    mutating func begin(_ device: String) -> String {
        self.device = device
        return ""
    }

    mutating func write(_ step: TrackCutter.Step) -> String {
        switch step {
        case .begin(let position), .go(let position):
            add(position)
            return ""
        case .end: return feature()
        }
    }

    mutating func end(_ steps: [TrackCutter.Step]) -> String {
        var text = ""
        for step in steps { text += write(step) }
        return text
    }

    private mutating func add(_ position: Position) {
        if count > 0 {
            coordinates += ","
            times += ","
        }
        count += 1
        coordinates += "[\(position.longitude.plainDecimal),\(position.latitude.plainDecimal)]"
        times += "\"\(Timestamp(microseconds: position.microseconds).microsecondsText)\""
    }

    private mutating func feature() -> String {
        let geometry =
            count == 1
            ? "\"Point\",\"coordinates\":\(coordinates)"
            : "\"LineString\",\"coordinates\":[\(coordinates)]"
        let text = """
            \(isFirst ? "" : ",")
            {"type":"Feature","geometry":{"type":\(geometry)},"properties":{"device_id":\
            \(JSONString.quoted(device)),"coordTimes":[\(times)]}}
            """
        isFirst = false
        coordinates.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        count = 0
        return text
    }
}

extension Double {
    /// The shortest decimal that parses to this number, without an exponent. Finite numbers only.
    var plainDecimal: String {
        precondition(isFinite, "BUG: a number without digits")
        let text = description
        guard let mark = text.firstIndex(of: "e"),
            let exponent = Int(text[text.index(after: mark)...])
        else { return text }
        let sign = text.hasPrefix("-") ? "-" : ""
        let mantissa = text[..<mark].drop { $0 == "-" }
        let whole = mantissa.prefix { $0 != "." }
        let fraction = mantissa.dropFirst(whole.count + 1)
        let digits = String(whole + fraction)
        let point = whole.count + exponent
        if point <= 0 {
            return sign + "0." + String(repeating: "0", count: -point) + digits
        }
        if point >= digits.count {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }
}
