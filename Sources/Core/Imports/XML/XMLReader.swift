import CExpat
import Glibc

/// Reads XML piece by piece with expat, which checks that it is well formed. External entities are not
/// read.
final class XMLReader {
    private let parser: XML_Parser
    private let handler: any XMLHandler
    private let output: ImportOutput
    /// What a handler threw; expat is a C library, through which nothing is thrown.
    private var failure: (any Error)?

    init(_ output: ImportOutput, _ handler: any XMLHandler) {
        guard let parser = XML_ParserCreate(nil) else { preconditionFailure("BUG: no memory") }
        self.parser = parser
        self.handler = handler
        self.output = output
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { data, name, attributes in
                guard let name, let attributes else { return }
                XMLReader.of(data)?.begin(name, XMLAttributes(attributes))
            },
            { data, name in
                guard let name else { return }
                XMLReader.of(data)?.end(name)
            })
        XML_SetCharacterDataHandler(parser) { data, text, count in
            XMLReader.of(data)?.add(UnsafeRawBufferPointer(start: text, count: Int(count)))
        }
    }

    deinit { XML_ParserFree(parser) }

    private static func of(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
        data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Where it is in the file, from 1.
    var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    /// - Parameter isLast: the file ends with this piece.
    func take(_ piece: UnsafeRawBufferPointer, isLast: Bool = false) throws {
        let status = XML_Parse(
            parser, piece.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(piece.count),
            isLast ? 1 : 0)
        if let failure { throw failure }
        guard status != XML_STATUS_OK else { return }
        let code = XML_GetErrorCode(parser)
        // At the end of the file these mean that something is missing.
        let isTruncated =
            isLast
            && [
                XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
                XML_ERROR_UNCLOSED_CDATA_SECTION,
            ].contains(code)
        throw output.fault(
            line, isTruncated ? .truncated : .notXML(String(cString: XML_ErrorString(code))))
    }

    private func begin(_ name: UnsafePointer<CChar>, _ attributes: XMLAttributes) {
        let (prefix, local) = Self.parts(name)
        attempt { try handler.begin(local, prefix: prefix, attributes, line: line) }
    }

    private func end(_ name: UnsafePointer<CChar>) {
        attempt { try handler.end(Self.parts(name).local) }
    }

    private func add(_ text: UnsafeRawBufferPointer) {
        attempt { try handler.add(text) }
    }

    private func attempt(_ body: () throws -> Void) {
        guard failure == nil else { return }
        do {
            try body()
        } catch {
            failure = error
            XML_StopParser(parser, 0)
        }
    }

    /// The prefix of its namespace, empty if it has none, and the rest.
    private static func parts(_ name: UnsafePointer<CChar>) -> (prefix: String, local: String) {
        guard let colon = strchr(name, Int32(UInt8(ascii: ":"))) else {
            return ("", String(cString: name))
        }
        let prefix = UnsafeBufferPointer(start: name, count: UnsafePointer(colon) - name)
        return (
            String(decoding: prefix.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self),
            String(cString: colon + 1)
        )
    }
}
