import CSimdjson

/// simdjson On-Demand: extracts and validates the same fields, with or without writing rows.
final class SimdjsonOndemand: Implementation {
    private let parser: OpaquePointer
    private let access: OndemandAccess
    private let encodes: Bool
    private var rows: [OndemandBuffer]

    static var kernel: String { String(cString: ondemand_kernel()) }
    static var compiledKernel: String { String(cString: ondemand_compiled_kernel()) }

    init(access: OndemandAccess, encodes: Bool, corpus: Corpus) {
        precondition(ondemand_padding() <= Corpus.paddingBytes, "BUG: \(ondemand_padding())")
        let bodyBytesMax = corpus.bodies.map(\.range.count).max() ?? 0
        guard let parser = ondemand_create(bodyBytesMax) else {
            preconditionFailure("BUG: no parser for \(bodyBytesMax) bytes")
        }
        self.parser = parser
        self.access = access
        self.encodes = encodes
        // A row is at most about twice as long as its reading.
        rows = (0..<3).map { _ in
            OndemandBuffer(bytes: .allocate(capacity: 4 * bodyBytesMax + 4096), count: 0)
        }
    }

    deinit {
        ondemand_destroy(parser)
        for row in rows { row.bytes.deallocate() }
    }

    var name: String {
        let way =
            switch access {
            case OndemandOrdered: "find_field"
            case OndemandUnordered: "operator[]"
            default: "iteration"
            }
        return "simdjson \(way)" + (encodes ? " + encode" : "")
    }

    func check(_ corpus: Corpus) throws {
        var result = OndemandResult()
        for (number, body) in corpus.bodies.enumerated() {
            let error = corpus.bytes.withUnsafeBufferPointer {
                read(body, of: $0, into: &result)
            }
            guard error == 0 else {
                throw Disagreement(implementation: name, body: number, what: "error \(error)")
            }
            guard encodes else { continue }
            for kind in 0..<3 {
                let written = UnsafeBufferPointer(start: rows[kind].bytes, count: rows[kind].count)
                guard written.elementsEqual(corpus.rows[number][kind]) else {
                    throw Disagreement(implementation: name, body: number, what: "rows \(kind)")
                }
            }
        }
        guard result.readings == corpus.readings, result.checksum == corpus.checksum else {
            throw Disagreement(implementation: name, body: -1, what: "sum \(result)")
        }
    }

    func pass(over corpus: Corpus) {
        var result = OndemandResult()
        corpus.bytes.withUnsafeBufferPointer { bytes in
            for body in corpus.bodies { _ = read(body, of: bytes, into: &result) }
        }
        precondition(result.checksum == corpus.checksum, "BUG: checksum=\(result.checksum)")
    }

    private func read(
        _ body: Corpus.Body, of bytes: UnsafeBufferPointer<UInt8>,
        into result: inout OndemandResult
    ) -> Int32 {
        let start = bytes.baseAddress.map { $0 + body.range.lowerBound }
        guard encodes else {
            return ondemand_extract(parser, start, body.range.count, access, &result)
        }
        for kind in 0..<3 { rows[kind].count = 0 }
        return ondemand_encode(
            parser, start, body.range.count, access, body.deviceKey, &rows, &result)
    }
}
