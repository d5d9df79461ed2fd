extension Spool {
    /// Makes everything durable that was appended since the last sync.
    ///
    /// - Throws: none of it is promised then, and none of it comes out of ``next(after:)`` in
    ///   this run of the program. A sync that failed is not tried again on the same file: the
    ///   segment ends with its last durable record, and later records go to another.
    public func sync() throws(SpoolError) {
        precondition(isOpen, "BUG: the spool is closed")
        var touched = filled
        if let active, active.pending.records > 0 { touched.append(active) }
        guard !touched.isEmpty else {
            groupFailure = nil
            return
        }
        do throws(DiskError) {
            if let groupFailure { throw groupFailure }
            if let file = active?.file { try buffer.write(to: file) }
            for segment in touched { try segment.file?.sync() }
        } catch {
            abandon(touched)
            throw .disk(error)
        }
        var before: Segment<Storage.File>?
        for segment in touched {
            segment.synced(before: before)
            before = segment
        }
        for segment in filled { closeFile(of: segment) }
        filled = []
    }

    private func abandon(_ touched: [Segment<Storage.File>]) {
        groupFailure = nil
        filled = []
        active = nil
        buffer.restart(keepingBytes: configuration.bufferBytesMax)
        for segment in touched {
            segment.abandon()
            previous = (segment.number, segment.end)
            closeFile(of: segment)
            if segment.isDrained { dispose(segment) }
        }
    }
}
