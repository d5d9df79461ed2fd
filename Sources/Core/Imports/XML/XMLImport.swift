/// XML: the first element says which kind it is.
final class XMLImport: ImportParser, XMLHandler {
    private let output: ImportOutput
    private lazy var reader = XMLReader(output, Unowned(self))
    private var handler: (any XMLHandler)?

    init(_ output: ImportOutput) {
        self.output = output
    }

    /// The reader belongs to this object, so it must not keep it.
    private final class Unowned: XMLHandler {
        private unowned let target: XMLImport
        init(_ target: XMLImport) { self.target = target }
        func begin(_ name: String, prefix: String, _ attributes: XMLAttributes, line: Int) throws {
            try target.begin(name, prefix: prefix, attributes, line: line)
        }
        func end(_ name: String) throws { try target.end(name) }
        func add(_ text: UnsafeRawBufferPointer) throws { try target.add(text) }
    }

    var line: Int { reader.line }

    func take(_ piece: UnsafeRawBufferPointer) throws { try reader.take(piece) }

    func finish() throws {
        try reader.take(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    }

    func begin(_ name: String, prefix: String, _ attributes: XMLAttributes, line: Int) throws {
        if let handler {
            return try handler.begin(name, prefix: prefix, attributes, line: line)
        }
        switch name {
        case "gpx": handler = GPXHandler(output, prefix: prefix, attributes)
        case "HealthData": handler = HealthHandler(output)
        default: throw output.fault(line, .otherXML(name))
        }
    }

    func end(_ name: String) throws { try handler?.end(name) }

    func add(_ text: UnsafeRawBufferPointer) throws { try handler?.add(text) }
}
