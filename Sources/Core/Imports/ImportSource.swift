import Files
import Glibc
import JSONText
import Retention

/// A file to import.
public struct ImportSource {
    /// As the caller gave it; `-`: standard input.
    public let path: String
    /// The path of the bytes, which may be read several times.
    public let place: String
    /// What standard input brought, in a file without a name.
    private let copy: Descriptor<ImportFault>?
    private let form: Form

    private enum Form {
        case text, gzip, zip
        case archive(ArchiveFile)
    }

    /// Looks at the first bytes. An archive is read once, to verify it.
    ///
    /// - Throws: ``ImportFault``, or `ArchiveError` for an archive.
    public init(_ path: String) throws {
        self.path = path
        copy = path == "-" ? try Self.copyOfStandardInput() : nil
        place = copy.map { "/proc/self/fd/\($0.number)" } ?? path
        let file = try Descriptor<ImportFault>(place, O_RDONLY)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 8)
        defer { bytes.deallocate() }
        let head = Array(bytes[..<(try file.read(into: bytes))])
        switch head {
        case [0x50, 0x4B, 0x03, 0x04]: form = .zip
        case _ where head.starts(with: [0x1F, 0x8B]): form = .gzip
        case [0x28, 0xB5, 0x2F, 0xFD] where ArchiveFile.isOne(path):
            form = .archive(try ArchiveFile(path))
        default: form = .text
        }
    }

    /// The id of an archive's part; nil: another form.
    public var archiveID: String? {
        if case .archive(let archive) = form { archive.manifest.id } else { nil }
    }

    /// Reads the file and passes each reading to `body`.
    ///
    /// - Parameter progress: called for each piece with the bytes done and those of the whole file.
    /// - Returns: what was left out, and what is worth a note.
    /// - Throws: ``ImportFault``, `ArchiveError`, or what `body` throws.
    public func read(
        _ context: ImportContext, progress: @escaping (Int, Int) -> Void,
        _ body: @escaping (ImportedReading) throws -> Void
    ) throws -> ImportRest {
        switch form {
        case .text:
            let file = try Descriptor<ImportFault>(place, O_RDONLY)
            let size = Int(try file.status().st_size)
            var done = 0
            return try readText(context, body) { buffer in
                let count = try file.read(into: buffer)
                done += count
                progress(done, size)
                return count
            }
        case .gzip:
            let status = try Descriptor<ImportFault>(place, O_RDONLY).status()
            let file = try GzipFile(path, at: place, size: Int(status.st_size))
            return try readText(context, body) { buffer in
                let count = try file.read(into: buffer)
                progress(file.offset, file.size)
                return count
            }
        case .zip: return try ZipImport(path, at: place).read(context, progress, body)
        case .archive(let archive):
            let output = ImportOutput(path, context, body)
            let parser = try CSVImport(output, archived: archive.manifest.kind)
            var done = 0
            try archive.read { piece in
                try parser.take(piece)
                done += piece.count
                progress(done, archive.manifest.textBytes)
            }
            try parser.finish()
            return output.rest
        }
    }

    /// - Parameter next: fills the buffer with the next bytes, and returns how many; 0: the end.
    private func readText(
        _ context: ImportContext, _ body: @escaping (ImportedReading) throws -> Void,
        _ next: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> ImportRest {
        let output = ImportOutput(path, context, body)
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Imports.pieceBytes, alignment: 16)
        defer { bytes.deallocate() }
        var parser: (any ImportParser)?
        while true {
            let count: Int
            do {
                count = try next(bytes)
            } catch ImportFault.gzip(let path, _, let reason) {
                throw ImportFault.gzip(path: path, line: parser?.line, reason: reason)
            }
            let piece = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            if parser == nil {
                parser = Self.parser(of: piece, output)
                guard parser != nil else { throw Self.fault(of: piece, path) }
            }
            if count == 0 { break }
            try parser?.take(piece)
        }
        try parser?.finish()
        return output.rest
    }

    /// A zip is read from its end, and some forms twice, so a pipe does not do.
    private static func copyOfStandardInput() throws(ImportFault) -> Descriptor<ImportFault> {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var name = Array("\(directory)/sluice-import-XXXXXX".utf8CString)
        let number = mkstemp(&name)
        guard number >= 0 else {
            throw .disk(operation: "create", path: "a file in \(directory)", errno: errno)
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(name)
        let copy = Descriptor<ImportFault>(number, path: "a file in \(directory)")
        let input = Descriptor<ImportFault>(dup(STDIN_FILENO), path: "-")
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Imports.pieceBytes, alignment: 16)
        defer { bytes.deallocate() }
        while true {
            let count = try input.read(into: bytes)
            guard count > 0 else { return copy }
            try copy.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// What is said of a file that begins so and has no parser.
    static func fault(of head: UnsafeRawBufferPointer, _ path: String) -> ImportFault {
        let hasUTF16 = isMarkedUTF16(head) || head.count > 1 && (head[0] == 0) != (head[1] == 0)
        if hasUTF16 { return .unconverted(path: path, .toUTF8) }
        let text = withoutMark(head)
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") {
            return .unconverted(path: path, .toLines)
        }
        if isGeoJSON(text) { return .unconverted(path: path, .fromGeoJSON) }
        return .unknownForm(path: path)
    }

    /// Whether the first object of a text is one of GeoJSON, as far as it is there.
    private static func isGeoJSON(_ head: UnsafeRawBufferPointer) -> Bool {
        // The head may end in the middle of a character.
        let text = Array(String(decoding: head, as: UTF8.self).utf8)
        return text.withUnsafeBufferPointer { bytes in
            var isOne = false
            var reader = JSONReader(bytes)
            _ = try? reader.readObject { key, value in
                guard key.text(in: bytes) == "type", bytes[value.start] == UInt8(ascii: "\"")
                else { return }
                isOne = ["FeatureCollection", "Feature"].contains(value.text(in: bytes))
            }
            return isOne
        }
    }

    /// Without the byte order mark of UTF-8.
    private static func withoutMark(_ head: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return UnsafeRawBufferPointer(rebasing: head[start...])
    }

    private static func isMarkedUTF16(_ head: UnsafeRawBufferPointer) -> Bool {
        head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    }

    /// The parser for a file that begins so; nil: of no known form.
    static func parser(
        of head: UnsafeRawBufferPointer, _ output: ImportOutput
    ) -> (any ImportParser)? {
        let text = withoutMark(head)
        guard let first = text.first(where: { $0 > 0x20 }), !isMarkedUTF16(head) else {
            return nil
        }
        switch first {
        case UInt8(ascii: "["): return nil
        case UInt8(ascii: "<"): return XMLImport(output)
        case UInt8(ascii: "{"): return isGeoJSON(text) ? nil : JSONLinesImport(output)
        default:
            // A text, and no bytes of something else.
            let isText = text.prefix(1024).allSatisfy {
                $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0)
            }
            return isText ? CSVImport(output) : nil
        }
    }
}
