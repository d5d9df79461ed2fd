/// The formats of tracks.
public enum TrackFormat: String, CaseIterable, Sendable {
    /// GPX 1.1: a track for each device, a segment for each stretch without a pause.
    case gpx
    /// RFC 7946: a feature for each stretch without a pause.
    case geojson
}
