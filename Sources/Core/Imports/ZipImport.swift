import CZip

/// The files of a zip whose form is known; for that of Apple's Health app the export itself and the
/// routes of workouts.
struct ZipImport {
    let path: String
    private let place: String

    /// - Parameters:
    ///   - path: as messages name it.
    ///   - place: where it is.
    init(_ path: String, at place: String) {
        self.path = path
        self.place = place
    }

    func read(
        _ context: ImportContext, _ progress: (Int, Int) -> Void,
        _ body: @escaping (ImportedReading) throws -> Void
    ) throws -> ImportRest {
        var code: Int32 = 0
        guard let zip = zip_open(place, ZIP_RDONLY, &code) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, code)
            defer { zip_error_fini(&error) }
            throw fault(&error)
        }
        defer { zip_discard(zip) }
        let (files, others) = try files(zip)
        let total = files.reduce(0) { $0 + $1.bytes }
        guard total > 0 else { throw ImportFault.nothingInside(path: path) }
        var rest = ImportRest()
        if others > 0 { rest.notes.append(.otherFiles(path: path, count: others)) }
        var done = 0
        for file in files {
            let output = ImportOutput("\(path)/\(file.name)", context, body)
            try read(zip, file.index, output) { count in
                done += count
                progress(done, total)
            }
            rest.add(output.rest)
        }
        return rest
    }

    private struct File {
        let index: zip_uint64_t
        let name: String
        let bytes: Int
    }

    /// Those that may have readings, in the order of the zip, and how many others there are.
    private func files(_ zip: OpaquePointer) throws -> (files: [File], others: Int) {
        let count = zip_get_num_entries(zip, 0)
        guard count <= 100_000 else { throw ImportFault.zip(path: path, reason: "\(count) files") }
        var files: [File] = []
        var others = 0
        for index in 0..<zip_uint64_t(max(0, count)) {
            var facts = zip_stat_t()
            guard zip_stat_index(zip, index, 0, &facts) == 0 else {
                throw fault(zip_get_error(zip))
            }
            let name = facts.name.map { String(cString: $0) } ?? ""
            if Self.isWanted(name) {
                files.append(File(index: index, name: name, bytes: Int(clamping: facts.size)))
            } else if !name.hasSuffix("/") {
                others += 1
            }
        }
        return (files, others)
    }

    /// Not the clinical document, which says the same in another form.
    private static func isWanted(_ name: String) -> Bool {
        let name = name.lowercased()
        return [".xml", ".gpx", ".csv", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
            && !name.hasSuffix("_cda.xml")
            // Samples of an electrocardiogram, which are no readings.
            && !name.contains("/electrocardiograms/")
    }

    private func read(
        _ zip: OpaquePointer, _ index: zip_uint64_t, _ output: ImportOutput,
        _ progress: (Int) -> Void
    ) throws {
        guard let file = zip_fopen_index(zip, index, 0) else { throw fault(zip_get_error(zip)) }
        defer { zip_fclose(file) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Imports.pieceBytes, alignment: 16)
        defer { bytes.deallocate() }
        var parser: (any ImportParser)?
        while true {
            // The last call compares the checksum of the whole file.
            let count = zip_fread(file, bytes.baseAddress!, zip_uint64_t(bytes.count))
            guard count >= 0 else { throw fault(zip_file_get_error(file)) }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)])
            if parser == nil {
                parser = ImportSource.parser(of: piece, output)
                guard parser != nil else {
                    if piece.contains(where: { $0 > 0x20 }) {
                        output.leaveOut(.file(output.path))
                    }
                    return
                }
            }
            if count == 0 { break }
            try parser?.take(piece)
            progress(Int(count))
        }
        try parser?.finish()
    }

    private func fault(_ error: UnsafeMutablePointer<zip_error_t>) -> ImportFault {
        .zip(path: path, reason: String(cString: zip_error_strerror(error)))
    }
}
