import Glibc
import Synchronization

/// A device whose batch was acknowledged slowly.
public struct SlowDevice: Codable, Equatable, Sendable {
    /// As stored: in lower case, up to 128 characters of any kind.
    public var deviceID: String
    /// Time from the head of the request to its answer.
    public var seconds: Double
    /// Time of the answer in UTC.
    public var at: String

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case seconds
        case at
    }

    /// A line of a report.
    public init(deviceID: String, seconds: Double, at: String) {
        self.deviceID = deviceID
        self.seconds = seconds
        self.at = at
    }
}
