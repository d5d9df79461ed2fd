/// What files don't say themselves.
public struct ImportContext {
    /// Of readings that name none; nil: they must name one.
    public let device: String?
    /// Of readings that name none; nil: the device's id.
    public let user: String?
    /// The metrics that have a name.
    public let metrics: [String: Metric]

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

    /// Stores the values.
    public init(device: String?, user: String?, metrics: [String: Metric]) {
        self.device = device
        self.user = user
        self.metrics = metrics
    }
}
