import Auth
import NIOCore
import NIOHTTP1
import Scanner

/// The facts of a request's head that matter here, read in one pass over its fields.
struct IngestHead {
    enum ContentType { case absent, json, lines, protobuf, other }

    var framing: RequestFraming
    /// The value of `X-API-Key`; nil if it is absent, empty or repeated.
    private var apiKey: String?
    /// The value of `Authorization`; nil if it is absent or repeated.
    private var authorization: String?
    private(set) var contentType = ContentType.absent
    /// nil if the encoding is unknown or there are several.
    private(set) var encoding: BodyEncoding? = .identity
    private(set) var idempotencyKeyBytes = 0
    let method: HTTPMethod
    private var keys = 0
    private var authorizations = 0
    /// Number of valid `Host` fields; an invalid one counts twice, so that the head is rejected.
    private(set) var hosts = 0
    /// The fault of the head by the rules of HTTP, whatever the path; nil if there is none.
    private(set) var violation: RequestFailure?

    /// A head with nothing but the length of its body.
    init(bodyOfBytes declaredBytes: Int) {
        method = .POST
        framing = RequestFraming(
            keepAlive: true, expectsContinue: false, declaredBytes: declaredBytes)
    }

    /// - Parameter fieldsMax: limit for an HTTP/2 head, whose fields no decoder has counted.
    init(_ head: HTTPRequestHead, fieldsMax: Int = .max) {
        method = head.method
        framing = RequestFraming(
            keepAlive: head.isKeepAlive && head.method != .CONNECT, expectsContinue: false,
            declaredBytes: 0)
        var (lengths, codings) = (0, TransferCodings())
        for (name, value) in head.headers {
            // Few names have the same length, so most fields cost one comparison of a number.
            switch name.utf8.count {
            case 4 where name.isField("host"):
                takeHost(isValid: HostValue.isValid(value.utf8))
            case 6 where name.isField("expect"):
                framing.expectsContinue =
                    value.isField("100-continue") && head.version.minor >= 1
            case 7 where name.isField("upgrade"):
                // The decoder stops after such a request, whatever the answer.
                framing.keepAlive = false
            case 9 where name.isField("x-api-key"):
                takeKey(value)
            case 12 where name.isField("content-type"):
                takeContentType(
                    value.isField("application/json") ? .json : Self.contentType(value))
            case 13 where name.isField("authorization"):
                takeAuthorization(value)
            case 14 where name.isField("content-length"):
                lengths += 1
                if !value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { lengths = 2 }
                framing.declaredBytes = Int(value) ?? Int.max
            case 15 where name.isField("idempotency-key"):
                takeIdempotencyKey(bytes: value.utf8.count)
            case 16 where name.isField("content-encoding"):
                addEncodings(value)
            case 17 where name.isField("transfer-encoding"):
                codings.add(value)
            default:
                break
            }
        }
        if !codings.isEmpty { framing.declaredBytes = nil }
        violation = violation(of: head, lengths, codings, fieldsMax: fieldsMax)
        // Where the next request begins may be unknown.
        if violation != nil { framing.keepAlive = false }
    }

    private func violation(
        of head: HTTPRequestHead, _ lengths: Int, _ codings: TransferCodings, fieldsMax: Int
    ) -> RequestFailure? {
        let isStreamed = head.version.major >= 2
        // The codec has added a `Transfer-Encoding` field.
        let added = codings.isEmpty ? 0 : 1
        if isStreamed, head.headers.count - added > fieldsMax { return .headTooLarge }
        if lengths > 1 || lengths == 1 && !codings.isEmpty { return .malformed }
        let isOld = (head.version.major, head.version.minor) < (1, 1)
        if !codings.isEmpty {
            if isOld { return .malformed }
            if let fault = codings.fault { return fault }
        }
        guard hosts == 1 || hosts == 0 && isOld else { return .hostAmbiguous }
        return Self.namesItsHost(head) ? nil : .hostAmbiguous
    }

    /// Whether the host in the target, if there is one, is the one in `Host`. The target's is the
    /// one that counts (RFC 9112, section 3.2.2), and everything behind this reads `Host`.
    private static func namesItsHost(_ head: HTTPRequestHead) -> Bool {
        guard head.uri.utf8.first != UInt8(ascii: "/"), head.uri != "*", head.method != .CONNECT
        else { return true }
        guard let authority = RequestTargetForm.authority(in: head.uri[...]),
            let host = head.headers.first(name: "host")
        else { return false }
        return authority.lowercased() == host.lowercased()
    }

    mutating func takeHost(isValid: Bool) {
        hosts += isValid ? 1 : 2
    }

    mutating func takeKey(_ value: String) {
        keys += 1
        apiKey = keys == 1 && !value.isEmpty ? value : nil
    }

    mutating func takeAuthorization(_ value: String) {
        authorizations += 1
        authorization = authorizations == 1 ? value : nil
    }

    /// The key or token of the head: `X-API-Key`, or without that field a bearer token or the
    /// password of Basic authentication. nil if there is none.
    var presentedKey: String? {
        keys > 0 ? apiKey : authorization.flatMap { PresentedToken.inAuthorization($0) }
    }

    mutating func takeContentType(_ type: ContentType) {
        contentType = contentType == .absent || contentType == type ? type : .other
    }

    /// The form of a body of readings.
    var shape: BodyShape { contentType == .lines ? .lines : .document }

    mutating func takeIdempotencyKey(bytes: Int) {
        idempotencyKeyBytes = max(idempotencyKeyBytes, bytes)
    }

    /// The first fault in the head of an authorized client; nil if there is none.
    func fault(_ configuration: HTTPConfiguration, _ format: InputFormat) -> RequestFailure? {
        if !format.media.takes(contentType) {
            return .contentTypeUnsupported(expected: format.media.names)
        }
        if encoding == nil { return .codingUnknown }
        if idempotencyKeyBytes > configuration.idempotencyKeyBytesMax {
            return .idempotencyKeyTooLong(bytesMax: configuration.idempotencyKeyBytesMax)
        }
        let bytesMax = min(configuration.bodyBytesMax, format.bytesMax)
        if let declared = framing.declaredBytes, declared > bytesMax {
            return .bodyTooLarge(bytesMax: bytesMax)
        }
        return nil
    }

    /// Whether the type is `application/json`, with any parameters.
    static func isJSON(_ value: String) -> Bool {
        value.isField("application/json") || contentType(value) == .json
    }

    /// The type, with any parameters.
    static func contentType(_ value: String) -> ContentType {
        let type = value.prefix { $0 != ";" }
        return switch type.trimmed.lowercased() {
        case "application/json": .json
        case "application/x-ndjson": .lines
        case InputFormat.protobufType: .protobuf
        default: .other
        }
    }

    /// Allows one encoding beside any number of `identity`; the field may be repeated.
    mutating func addEncodings(_ value: String) {
        for token in value.split(separator: ",", omittingEmptySubsequences: true) {
            let token = token.trimmed
            if token.isEmpty { continue }
            guard let added = BodyEncoding(token: token) else {
                encoding = nil
                return
            }
            if added == .identity { continue }
            encoding = encoding == .identity ? added : nil
        }
    }
}

extension String {
    /// Compares ignoring case; `lower` consists of lower-case letters, digits, `-` and `/`.
    func isField(_ lower: StaticString) -> Bool {
        guard utf8.count == lower.utf8CodeUnitCount else { return false }
        return lower.withUTF8Buffer { expected in
            var index = 0
            for byte in utf8 {
                let folded = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
                if folded != expected[index] { return false }
                index += 1
            }
            return true
        }
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

/// The quick path of a head: recognised in the received bytes, without a header table.
extension IngestHead {
    enum Recognition {
        /// A head that the HTTP decoder would understand in the same way, and its length.
        case head(IngestHead, RouteID, InputRequest, bytes: Int)
        /// Usual so far, but not complete.
        case incomplete
        /// Any other head: the HTTP decoder has to parse it.
        case unusual
    }

    /// The first line of nearly all requests.
    private static let firstLine: StaticString = "POST /ingest HTTP/1.1\r\n"

    /// Recognises a usual head.
    ///
    /// A usual head is a POST to a path that takes readings, and a strict subset of RFC 9112: lines
    /// are as in ``FieldLine``, there is exactly one `Content-Length` and one `Host`, and no field
    /// makes the connection or the body special. So no two parsers can read it differently.
    ///
    /// - Parameters:
    ///   - bytes: everything received since the end of the previous request.
    ///   - routes: which paths take readings.
    ///   - bytesMax: limit of a usual head.
    ///   - fieldsMax: limit of a usual head.
    /// - Complexity: O(bytes of the head).
    static func recognise(
        _ bytes: RawSpan, _ routes: RouteTable, bytesMax: Int, fieldsMax: Int
    ) -> Recognition {
        var line = firstLine.utf8CodeUnitCount
        var target: String?
        var route = RouteID.ingest
        if !bytes.continues(at: 0, with: firstLine) {
            switch TargetLine(bytes, before: bytesMax) {
            case .unusual: return .unusual
            case .incomplete: return bytes.byteCount < bytesMax ? .incomplete : .unusual
            case .post(let found, let end):
                (target, route, line) = (found, routes.id(of: found), end)
                guard routes[route].input != nil else { return .unusual }
            }
        }
        guard bytes.byteCount > line else { return .incomplete }
        var head = IngestHead(bodyOfBytes: 0)
        var headers = HTTPHeaders()
        if target != nil { headers.reserveCapacity(8) }
        var hasLength = false
        var fields = 0
        while true {
            switch FieldLine(bytes, from: line, before: bytesMax) {
            case .unusual:
                return .unusual
            case .incomplete:
                return bytes.byteCount < bytesMax ? .incomplete : .unusual
            case .empty(let end):
                guard hasLength, head.hosts == 1 else { return .unusual }
                let request = target.map { InputRequest($0, headers, routes[route].pattern) }
                return .head(head, route, request ?? .none, bytes: end)
            case .field(let field):
                if target != nil {
                    headers.add(
                        name: String(decoding: bytes, field.name),
                        value: String(decoding: bytes, field.value))
                }
                fields += 1
                guard fields <= fieldsMax, head.take(field, of: bytes, &hasLength) else {
                    return .unusual
                }
                line = field.end
            }
        }
    }

    /// - Returns: false if the field makes the head unusual.
    private mutating func take(
        _ field: FieldLine.Field, of bytes: RawSpan, _ hasLength: inout Bool
    ) -> Bool {
        func isNamed(_ name: StaticString) -> Bool { bytes.isField(name, at: field.name) }
        func text() -> String { String(decoding: bytes, field.value) }
        switch field.name.count {
        case 4 where isNamed("host"):
            takeHost(
                isValid: field.value.allSatisfy { HostValue.isValid(CollectionOfOne(bytes[$0])) })
            return hosts == 1
        case 6:
            return !isNamed("expect")
        case 7:
            return !isNamed("upgrade")
        case 9 where isNamed("x-api-key"):
            takeKey(text())
        case 10 where isNamed("connection"):
            return bytes.isField("keep-alive", at: field.value)
        case 12 where isNamed("content-type"):
            takeContentType(
                bytes.isField("application/json", at: field.value)
                    ? .json : Self.contentType(text()))
        case 13 where isNamed("authorization"):
            takeAuthorization(text())
        case 14 where isNamed("content-length"):
            guard !hasLength, let length = bytes.decimal(at: field.value) else { return false }
            hasLength = true
            framing.declaredBytes = length
        case 15 where isNamed("idempotency-key"):
            takeIdempotencyKey(bytes: field.value.count)
        case 16 where isNamed("content-encoding"):
            addEncodings(text())
        case 16:
            return !isNamed("proxy-connection")
        case 17:
            return !isNamed("transfer-encoding")
        default:
            break
        }
        return true
    }
}
