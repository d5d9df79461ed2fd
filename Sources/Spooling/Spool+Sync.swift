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
            try checkNames(of: touched)
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

    /// Whether the next process would find what is written now.
    ///
    /// - Throws: when the disk's directory is no longer where it was opened. What it holds can still
    ///   be read here, as far as its files are open or were only moved.
    public func check() throws(DiskError) { try disk.checkPath() }

    private func checkNames(of touched: [Segment<Storage.File>]) throws(DiskError) {
        try disk.checkPath()
        for segment in touched {
            if let file = segment.file { try disk.checkName(segment.name, of: file) }
        }
    }

    private func abandon(_ touched: [Segment<Storage.File>]) {
        groupFailure = nil
        filled = []
        active = nil
        buffer.restart(keepingBytes: configuration.bufferBytesMax)
        for segment in touched {
            segment.abandon()
            previous = (segment.number, segment.end)
            // What was durable stays open: its name may be gone, and then nobody can open it again.
            if segment.isDrained { dispose(segment) }
        }
    }
}
