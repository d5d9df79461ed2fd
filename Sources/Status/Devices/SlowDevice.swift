/// A device whose batch took long to be acknowledged.
public struct SlowDevice: Codable, Equatable, Sendable {
    /// As it is stored: lower-cased, up to 128 characters, any of them.
    public var deviceID: String
    /// From the head of its request to its answer.
    public var seconds: Double
    /// When it was answered, in UTC.
    public var at: String

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case seconds
        case at
    }

    /// One line of a report.
    public init(deviceID: String, seconds: Double, at: String) {
        self.deviceID = deviceID
        self.seconds = seconds
        self.at = at
    }
}
