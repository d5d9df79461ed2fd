import Readings

/// Where the readings of a file go.
final class ImportOutput {
    /// For messages: the path, and for a file in a zip its name there.
    let path: String
    let context: ImportContext
    private let emit: (ImportedReading) throws -> Void
    private(set) var leftOut: [LeftOut: Int] = [:]
    private(set) var notes: [ImportNote] = []
    private var named: [String: ImportContext.Metric] = [:]
    private var unnamed: Set<String> = []

    /// How many kinds of left-out parts are counted. A limit, because files choose the names of fields.
    private static let leftOutMax = 200
    /// How many names without a code are kept, so that they are not asked for again.
    private static let unnamedMax = 1000

    init(
        _ path: String, _ context: ImportContext,
        _ emit: @escaping (ImportedReading) throws -> Void
    ) {
        self.path = path
        self.context = context
        self.emit = emit
    }

    /// - Parameters:
    ///   - device: nil: the file names none.
    ///   - user: nil: the file names none.
    func add(line: Int, device: String?, user: String?, _ json: [UInt8]) throws {
        guard let device = device ?? context.device else { throw fault(line, .noDevice) }
        try emit(
            ImportedReading(line: line, device: device, user: user ?? context.user, json: json))
    }

    /// The metric with a name, which gets a code if it is new.
    ///
    /// - Parameter unit: of the value at hand; nil: the file does not say it.
    /// - Returns: nil if there is no code for it. The reading is passed on with the name, and is
    ///   quarantined.
    func metric(_ name: String, unit: String? = nil) throws -> ImportContext.Metric? {
        if let known = context.metrics[name] ?? named[name] { return known }
        guard MetricName.isValid(Array(name.utf8)), !unnamed.contains(name) else { return nil }
        guard let new = try context.name(name, unit) else {
            if unnamed.count < Self.unnamedMax { unnamed.insert(name) }
            return nil
        }
        named[name] = new
        return new
    }

    func leaveOut(_ what: LeftOut) {
        guard leftOut.count < Self.leftOutMax || leftOut[what] != nil else { return }
        leftOut[what, default: 0] += 1
    }

    func note(_ note: ImportNote) { notes.append(note) }

    /// What is to be said when the file was read to its end.
    var rest: ImportRest { ImportRest(leftOut: leftOut, notes: notes) }

    func fault(_ line: Int, _ reason: ImportFault.Reason) -> ImportFault {
        .line(path: path, line: line, reason)
    }
}
