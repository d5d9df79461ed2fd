import Spooling

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

    func releaseAll() throws(SpoolError) {
        for record in try all() { try release(record.id) }
    }
}
