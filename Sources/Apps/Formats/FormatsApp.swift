import Encodings
import Foundation
import Instruments
import JSONText
public import Server

/// Formats of apps and programs that exist: what they post becomes readings, and each gets the
/// answer after which it deletes its copy.
///
/// - `/in/FORMAT` takes the key in a header; `/in/FORMAT/KEY` is for apps that can set none.
/// - A format is an object (``HTTP/InputFormat``) in a folder of its own. It translates a body into
///   readings and judges nothing: a position at 91° north goes on as it is, and the scanner
///   quarantines it. What is not of the format at all is refused, with the place of the fault.
/// - A value that an app gives as unknown (null, an empty text, −1 where it can't be negative) is
///   left out. A key that stands twice is written twice, which the scanner finds.
/// - Nothing is kept between requests. A crash leaves nothing.
public struct FormatsApp: App {
    /// Knows nothing.
    public init() {}

    /// See `App`.
    public var inputs: [InputGuide] {
        [
            InputGuide(
                "overland", path: "/in/overland",
                place: "Overland: Settings, Receiver Endpoint. Give the device an id there.",
                link: Self.overland),
            InputGuide(
                "owntracks", path: "/in/owntracks",
                place: "OwnTracks: Preferences, Connection, mode HTTP. Encryption stays off.",
                link: Self.ownTracks),
            InputGuide(
                "traccar", path: "/in/traccar",
                place: "Traccar Client: Server URL. The device identifier is the device's name."),
            InputGuide(
                "gpslogger", path: "/in/gpslogger",
                place: "GPSLogger: Custom URL. Add to it: "
                    + "?id=%SER&lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&speed=%SPD&bearing=%DIR"
                    + "&altitude=%ALT&accuracy=%ACC&batt=%BATT"),
            InputGuide(
                "health", path: "/in/health",
                place: "Health Auto Export: a new automation of the type REST API, format JSON. "
                    + "Add ?device=NAME if the key is of no user and no device."),
            InputGuide(
                "otlp", path: "/in/otlp",
                place: "OpenTelemetry: OTEL_EXPORTER_OTLP_ENDPOINT, with "
                    + "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf or http/json. Metrics and logs."),
        ]
    }

    /// A link that the app's README describes.
    private static func overland(
        _ base: String, _ key: String, _ user: String?, _ device: String?
    ) -> String {
        var link = "overland://setup?url=\(PercentEncoding.encoded(base))&token=\(key)"
        if let device { link += "&device_id=\(PercentEncoding.encoded(device))" }
        return link
    }

    /// A link that the OwnTracks Booklet describes, "URL config"; mode 3 is HTTP.
    private static func ownTracks(
        _ base: String, _ key: String, _ user: String?, _ device: String?
    ) -> String {
        var settings =
            #"{"_type":"configuration","mode":3,"auth":true,"url":"# + JSONString.quoted(base)
        settings += #","username":"# + JSONString.quoted(user ?? device ?? "sluice")
        settings += #","password":"# + JSONString.quoted(key)
        if let device { settings += #","deviceId":"# + JSONString.quoted(device) }
        let base64 = Data((settings + "}").utf8).base64EncodedString()
        return "owntracks:///config?inline=\(PercentEncoding.encoded(base64))"
    }

    /// See `App`.
    public func guide(sockets: String) -> [(name: String, what: String)] {
        [("formats", "/in/FORMAT for " + inputs.map(\.name).joined(separator: ", "))]
    }

    /// See `App`.
    public func open(_ surroundings: Surroundings) async throws(StartFailure) -> any RunningApp {
        RunningFormats(FormatInstruments(surroundings.registry))
    }
}
