import SpoolLog

extension Spool {
    @discardableResult
    func append(_ payload: [UInt8], units: Int = 1, time: Int64 = 0) throws -> AppendOutcome {
        // A typed error can't pass through a closure that rethrows.
        let result: Result<AppendOutcome, SpoolError> = payload.withUnsafeBytes { bytes in
            do throws(SpoolError) {
                return .success(try append(bytes, units: units, time: time))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// All pending records, oldest first.
    func all() throws(SpoolError) -> [SpooledRecord] {
        var records: [SpooledRecord] = []
        while let record = try next(after: records.last?.id) { records.append(record) }
        return records
    }

    /// All pending records once everything that can be read was read again, as a keeper does after
    /// pauses.
    ///
    /// - Returns: nil: a part can still not be read after a hundred tries.
    func allInTheEnd() throws(SpoolError) -> [SpooledRecord]? {
        for _ in 0..<100 {
            for segment in unreadSegments { _ = readAgain(segment.number) }
            let records = try all()
            if unreadSegments.isEmpty { return records }
        }
        return nil
    }

    func releaseAll() throws(SpoolError) {
        for record in try all() { try release(record.id) }
    }
}
