/// What files don't say themselves.
public struct ImportContext {
    /// Of readings that name none; nil: they must name one.
    public let device: String?
    /// Of readings that name none; nil: the device's id.
    public let user: String?
    /// The metrics that have a name.
    public let metrics: [String: Metric]
    /// The device and the user of a key in an archive; nil: nobody has that key.
    let sender: (Int64) throws -> (device: String, user: String)?

    /// A code of measurements.
    public struct Metric: Sendable {
        let code: Int16
        let unit: String?

        /// - Parameter unit: nil if nobody has named it.
        public init(code: Int16, unit: String?) {
            self.code = code
            self.unit = unit
        }
    }

    /// - Parameter sender: finds the device and the user of a key in an archive; nil: nobody has it.
    public init(
        device: String?, user: String?, metrics: [String: Metric],
        sender: @escaping (Int64) throws -> (device: String, user: String)?
    ) {
        self.device = device
        self.user = user
        self.metrics = metrics
        self.sender = sender
    }
}
