import CMiniZip

/// The files of a zip whose form is known; for that of Apple's Health app the export itself and the
/// routes of workouts.
struct ZipImport {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    func read(
        _ context: ImportContext, _ progress: (Int, Int) -> Void,
        _ body: @escaping (ImportedReading) throws -> Void
    ) throws -> [LeftOut: Int] {
        guard let zip = unzOpen64(path) else { throw fault(UNZ_BADZIPFILE) }
        defer { unzClose(zip) }
        let files = try files(zip)
        let total = files.reduce(0) { $0 + $1.bytes }
        guard total > 0 else { throw ImportFault.nothingInside(path: path) }
        var leftOut: [LeftOut: Int] = [:]
        var done = 0
        for file in files {
            var place = file.place
            guard unzGoToFilePos64(zip, &place) == UNZ_OK else { throw fault(UNZ_BADZIPFILE) }
            let output = ImportOutput("\(path)/\(file.name)", context, body)
            try read(zip, output) { count in
                done += count
                progress(done, total)
            }
            leftOut.merge(output.leftOut) { $0 + $1 }
        }
        return leftOut
    }

    private struct File {
        let name: String
        let bytes: Int
        let place: unz64_file_pos
    }

    /// Those that may have readings, in the order of the zip.
    private func files(_ zip: unzFile) throws -> [File] {
        var files: [File] = []
        var code = unzGoToFirstFile(zip)
        while code == UNZ_OK {
            var facts = unz_file_info64()
            var name = [CChar](repeating: 0, count: 1025)
            code = unzGetCurrentFileInfo64(
                zip, &facts, &name, UInt(name.count - 1), nil, 0, nil, 0)
            guard code == UNZ_OK else { throw fault(code) }
            let text = name.withUnsafeBytes { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var place = unz64_file_pos()
            code = unzGetFilePos64(zip, &place)
            guard code == UNZ_OK else { throw fault(code) }
            if Self.isWanted(text) {
                files.append(
                    File(name: text, bytes: Int(clamping: facts.uncompressed_size), place: place))
            }
            guard files.count <= 100_000 else { throw fault(UNZ_BADZIPFILE) }
            code = unzGoToNextFile(zip)
        }
        guard code == UNZ_END_OF_LIST_OF_FILE else { throw fault(code) }
        return files
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
        _ zip: unzFile, _ output: ImportOutput, _ progress: (Int) -> Void
    ) throws {
        let opened = unzOpenCurrentFile(zip)
        guard opened == UNZ_OK else { throw fault(opened) }
        defer { unzCloseCurrentFile(zip) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Imports.pieceBytes, alignment: 16)
        defer { bytes.deallocate() }
        var parser: (any ImportParser)?
        while true {
            let count = unzReadCurrentFile(zip, bytes.baseAddress, UInt32(bytes.count))
            guard count >= 0 else { throw fault(count) }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)])
            if parser == nil {
                parser = ImportSource.parser(of: piece, output)
                // Blank, or of another form than its name says.
                guard parser != nil else { return }
            }
            if count == 0 { break }
            try parser?.take(piece)
            progress(Int(count))
        }
        // The checksum of the whole file.
        let closed = unzCloseCurrentFile(zip)
        guard closed == UNZ_OK else { throw fault(closed) }
        try parser?.finish()
    }

    private func fault(_ code: Int32) -> ImportFault { .zip(path: path, code: code) }
}
