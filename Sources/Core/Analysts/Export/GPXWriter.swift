import JSONText
import Readings

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
            + elevation + "<time>\(time.microsecondsText)</time></trkpt>\n"
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
