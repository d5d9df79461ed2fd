/// The part of a head that decides how the connection continues after the request.
struct RequestFraming: Equatable, Sendable {
    /// The client wants to keep the connection; also false if the protocol requires its end.
    var keepAlive: Bool
    /// The client waits for `100 Continue` before it sends its body.
    var expectsContinue: Bool
    /// Bytes of the body as sent; nil if it is chunked, of unknown length.
    var declaredBytes: Int?
}

/// The value of `Transfer-Encoding` in a request (RFC 9112, section 6.1).
struct TransferCodings {
    private var names: [Substring] = []

    var isEmpty: Bool { names.isEmpty }

    /// Adds the value of one field; the field may occur several times.
    mutating func add(_ value: String) {
        for name in value.split(separator: ",", omittingEmptySubsequences: false) {
            names.append(name.trimmed)
        }
    }

    /// Why the body's end can't be found, or its coding is unknown; nil if the body is chunked.
    var fault: Failure? {
        let isChunked = names.map { String($0).isField("chunked") }
        guard isChunked.last == true, isChunked.filter({ $0 }).count == 1 else {
            return .requestMalformed
        }
        return names.count > 1 ? .transferCodingUnknown : nil
    }
}
