/// What of a request decides how its connection goes on after it.
struct RequestFraming: Equatable, Sendable {
    /// The client would like to go on; false also where the protocol leaves no choice.
    var keepAlive: Bool
    /// The client waits for a word before it sends its body.
    var expectsContinue: Bool
    /// Bytes of the body as sent; nil when they come in chunks of unknown number.
    var declaredBytes: Int?
}

/// What `Transfer-Encoding` says of a request (RFC 9112, section 6.1).
struct TransferCodings {
    private var names: [Substring] = []

    var isEmpty: Bool { names.isEmpty }

    /// The field may stand several times.
    mutating func add(_ value: String) {
        for name in value.split(separator: ",", omittingEmptySubsequences: false) {
            names.append(name.trimmed)
        }
    }

    /// Why the body's end can't be found, or the body not be read; nil: it comes in chunks.
    var fault: Failure? {
        let isChunked = names.map { String($0).isField("chunked") }
        guard isChunked.last == true, isChunked.filter({ $0 }).count == 1 else {
            return .requestMalformed
        }
        return names.count > 1 ? .transferCodingUnknown : nil
    }
}
