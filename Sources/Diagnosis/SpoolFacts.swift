/// What waits for the database.
public struct SpoolFacts: Sendable {
    /// The directory.
    public var path: String
    /// Files of all kinds.
    public var files = 0
    /// What they take on disk.
    public var bytes = 0
    /// Readings and units of work; nil where there was too much to read.
    public var units: Int?
    /// How long the oldest has been waiting.
    public var oldestSeconds: Int?
    /// Files that were moved aside because of damage.
    public var setAside: [String] = []
    /// Files that are damaged or can't be read, and were not moved aside yet.
    public var damaged: [String] = []
    /// Why it can't be looked at; nil: it can.
    public var fault: String?

    /// An empty one.
    public init(path: String) { self.path = path }
}
