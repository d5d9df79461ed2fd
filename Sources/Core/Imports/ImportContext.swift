/// What files don't say themselves.
public struct ImportContext {
    /// Of readings that name none; nil: they must name one.
    public let device: String?
    /// Of readings that name none; nil: the device's id.
    public let user: String?
    /// The metrics that have a name.
    public let metrics: [String: Metric]
    /// Gives a metric with another name its code, for good; the unit is that of its first value,
    /// nil if the file names none. Returns nil if there is no code for it.
    public let name: (_ name: String, _ unit: String?) throws -> Metric?

    /// A code of measurements.
    public struct Metric: Sendable {
        let code: Int16
        let unit: String?

        /// - Parameter unit: nil if it is not known.
        public init(code: Int16, unit: String?) {
            self.code = code
            self.unit = unit
        }
    }

    /// Stores the values.
    public init(
        device: String?, user: String?, metrics: [String: Metric],
        name: @escaping (_ name: String, _ unit: String?) throws -> Metric?
    ) {
        self.device = device
        self.user = user
        self.metrics = metrics
        self.name = name
    }
}
