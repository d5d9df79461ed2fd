/// Where the readings of a file go.
final class ImportOutput {
    /// For messages: the path, and for a file in a zip its name there.
    let path: String
    let context: ImportContext
    private let emit: (ImportedReading) throws -> Void
    private(set) var leftOut: [LeftOut: Int] = [:]

    /// How many kinds of left-out parts are counted. A limit, because files choose the names of fields.
    private static let leftOutMax = 200

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

    func leaveOut(_ what: LeftOut) {
        guard leftOut.count < Self.leftOutMax || leftOut[what] != nil else { return }
        leftOut[what, default: 0] += 1
    }

    func fault(_ line: Int, _ reason: ImportFault.Reason) -> ImportFault {
        .line(path: path, line: line, reason)
    }
}
