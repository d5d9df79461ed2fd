/// The texts of a format of tracks, piece by piece, in the order of these functions.
protocol TrackWriter {
    var limits: TrackCutter.Limits { get }
    var head: String { get }
    /// A device's track begins.
    mutating func begin(_ device: String) -> String
    mutating func write(_ step: TrackCutter.Step) -> String
    /// The device's track ends, with these steps.
    mutating func end(_ steps: [TrackCutter.Step]) -> String
    var tail: String { get }
}
