internal import Glibc

/// Examines a spool without changing anything. Needs no lock; a file that is being written may have
/// a torn end.
public enum SpoolVerification {
    /// One report per file, in number order. Reads every byte and decompresses every record.
    ///
    /// - Throws: when the directory can't be listed. A file's faults are in its report.
    public static func verify(_ disk: some Disk) throws(SpoolError) -> [SegmentReport] {
        let reports = try look(at: disk)
        // Another process may have been writing: a fault is checked again.
        return reports.contains { $0.readError != nil || $0.kind == .segment && $0.fault != nil }
            ? try look(at: disk) : reports
    }

    private static func look(at disk: some Disk) throws(SpoolError) -> [SegmentReport] {
        let names: [String]
        do { names = try disk.names() } catch { throw .disk(error) }
        var reports: [SegmentReport] = []
        var contents: [Int: SegmentContents] = [:]
        for name in names.compactMap(SegmentName.init).sorted(by: { $0.number < $1.number }) {
            var report: SegmentReport
            switch name {
            case .segment: report = SegmentReport(name, .segment)
            case .spare: report = SegmentReport(name, .spare)
            case .setAside: report = SegmentReport(name, .setAside)
            }
            do throws(DiskError) {
                if case .spare = name {
                    report.bytes = try size(of: name, on: disk)
                } else {
                    contents[reports.count] = try look(at: name, on: disk)
                }
            } catch {
                // Reused or removed in the meantime.
                if error.errno == ENOENT { continue }
                report.readError = error
            }
            reports.append(report)
        }
        Survey.applyClaims(&contents, numbers: reports.map { SegmentName($0.name)?.number ?? 0 })
        for (index, contents) in contents { reports[index].fill(contents) }
        return reports
    }

    /// Calls `body` with each valid record of a file, in order; with none of a spare.
    ///
    /// - Returns: false when `body` returned false, which ends the walk.
    @discardableResult
    public static func records(
        of name: String, on disk: some Disk, _ body: (SpooledRecord) -> Bool
    ) throws(SpoolError) -> Bool {
        guard let segment = SegmentName(name) else { return true }
        if case .spare = segment { return true }
        do throws(DiskError) {
            let file = try disk.open(name)
            defer { file.close() }
            let image = try SegmentImage(file)
            var goesOn = true
            _ = image.scan(number: segment.number) { header in
                guard goesOn,
                    let payload = PayloadCodec.decompress(
                        image.frame(of: header), payloadBytes: Int(header.payloadBytes))
                else { return }
                goesOn = body(
                    SpooledRecord(
                        id: header.id, units: Int(header.units), kind: header.kind,
                        time: header.time,
                        payload: payload))
            }
            return goesOn
        } catch {
            throw .disk(error)
        }
    }

    private static func size(of name: SegmentName, on disk: some Disk) throws(DiskError) -> Int {
        let file = try disk.open(name.text)
        defer { file.close() }
        return try file.byteCount()
    }

    private static func look(
        at name: SegmentName, on disk: some Disk
    ) throws(DiskError) -> SegmentContents {
        let file = try disk.open(name.text)
        defer { file.close() }
        let image = try SegmentImage(file)
        var undecodable: [Range<Int>] = []
        var contents = image.scan(number: name.number) { header in
            let payload = PayloadCodec.decompress(
                image.frame(of: header), payloadBytes: Int(header.payloadBytes))
            if payload == nil { undecodable.append(Int(header.offset)..<header.end) }
        }
        // Both checksums were correct: the writer is at fault, not the disk.
        contents.undecodable = undecodable
        return contents
    }
}

extension SegmentReport {
    mutating func fill(_ contents: SegmentContents) {
        bytes = contents.bytes
        records = contents.records - contents.undecodable.count
        tally = contents.tally
        firstTime = contents.firstTime
        end = contents.end
        bytesCut = contents.bytesCut
        fault = contents.fault
        readError = contents.readError
        unknownVersion = contents.unknownVersion
    }
}
