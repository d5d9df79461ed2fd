import JSONText
import Readings

/// GPX 1.1. What it has no element for is in the `extensions` of a point: `hAcc`, `vAcc` (metres),
/// `speed` (m/s) and `course` (degrees), under the names that Apple's Health app uses. So an import
/// finds the same positions. There are two exceptions: 180 degrees east, which become 180 degrees
/// west, and ids with characters that XML does not allow.
///
/// - Source: the schema at http://www.topografix.com/GPX/1/1/gpx.xsd, which requires decimals
///   without exponents, a longitude below 180, and `extensions` last in a point, with elements of
///   another namespace.
struct GPXWriter: TrackWriter {
    let limits = TrackCutter.Limits()

    let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Sluice" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:s="urn:sluice:gpx">

        """
    let tail = "</gpx>\n"

    func begin(_ device: String, of user: String) -> String {
        "<trk><name>\(Self.escape(device))</name><desc>\(Self.escape(user))</desc>\n"
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
        let elevation = position.altitude.map { "<ele>\($0.plainDecimal)</ele>" } ?? ""
        return "<trkpt lat=\"\(position.latitude.plainDecimal)\" lon=\"\(longitude.plainDecimal)\">"
            + elevation
            + "<time>\(time.microsecondsText)</time>\(extensions(of: position))</trkpt>\n"
    }

    /// Empty if all of them are unknown.
    private static func extensions(of position: Position) -> String {
        let fields = [
            ("hAcc", position.accuracy), ("vAcc", position.verticalAccuracy),
            ("speed", position.speed), ("course", position.course),
        ]
        var elements = ""
        for case (let name, let number?) in fields {
            elements += "<s:\(name)>\(number.plainDecimal)</s:\(name)>"
        }
        return elements.isEmpty ? "" : "<extensions>\(elements)</extensions>"
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
