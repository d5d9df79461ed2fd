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
    var fault: RequestFailure? {
        let isChunked = names.map { String($0).isField("chunked") }
        guard isChunked.last == true, isChunked.filter({ $0 }).count == 1 else {
            return .malformed
        }
        return names.count > 1 ? .transferCodingUnknown : nil
    }
}
