import Readings

/// The rows as JSON again.
extension DeviceBatch {
    /// Calls `body` with each row in the wire format (``ReadingText``), by kind; those that have names
    /// come last.
    public func forEachText(_ body: ([UInt8]) -> Void) {
        func go(_ kind: ReadingKind, _ rows: borrowing KindRows, names: [String]? = nil) {
            let bytes = rows.tuples.bytes
            var start = 0
            while start < bytes.count {
                let name = names.map { $0[NamedVitals.place(in: bytes, at: start)] }
                body(ReadingText.json(kind, bytes, at: start, metric: name))
                start = TupleBuffer.tupleEnd(in: bytes, at: start)
            }
        }
        for kind in ReadingKind.allCases { go(kind, rows[kind]) }
        if let named { go(.vital, named.rows, names: named.names) }
    }
}
