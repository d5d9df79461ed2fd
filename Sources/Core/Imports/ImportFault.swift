public import Files
import Glibc
public import OperatorErrors

/// Why a file can't be imported, or no further.
public enum ImportFault: Error, Equatable, Sendable {
    /// A system call failed.
    case disk(operation: String, path: String, errno: Int32)
    /// Its bytes are of no form that is known.
    case unknownForm(path: String)
    /// It has to be converted before it can be imported.
    case unconverted(path: String, Conversion)
    /// A file of this database's own archive, whose days are known to have left.
    case ownArchive(path: String)
    /// A zip that can't be read, with the reason that libzip gives.
    case zip(path: String, reason: String)
    /// A file compressed by gzip that can't be read, or no further, with the reason that zlib gives,
    /// and the line of its contents where that was; nil: at their beginning.
    case gzip(path: String, line: Int?, reason: String)
    /// A zip without a file of a known form.
    case nothingInside(path: String)
    /// What is wrong at a line of a file, or of a file in a zip.
    case line(path: String, line: Int, Reason)

    /// What to do with a file before it is imported.
    public enum Conversion: Equatable, Sendable {
        /// It is UTF-16.
        case toUTF8
        /// It is a JSON array.
        case toLines
        /// It is GeoJSON.
        case fromGeoJSON
    }

    /// What is wrong at a line.
    public enum Reason: Equatable, Sendable {
        /// The file ends in the middle of something.
        case truncated
        /// Bytes that are no UTF-8, in a line or in a row.
        case notUTF8
        /// A column that readings do not have.
        case unknownColumn(String, known: [String])
        /// Two columns of the same meaning.
        case columnTwice(String)
        /// The first line names neither a position, nor a measurement, nor an event.
        case noReadings
        /// Values of readings of several types, and nothing that says the type.
        case severalKinds([String])
        /// A row with another number of cells than there are columns.
        case cells(found: Int, expected: Int)
        /// Something after the closing quote of a cell.
        case afterQuote
        /// Longer than the limit, in bytes.
        case tooLong(max: Int)
        /// More cells in a row than this.
        case tooManyColumns(max: Int)
        /// Not a JSON object; the offset in the line.
        case notJSON(offset: Int)
        /// Not XML, as expat says it.
        case notXML(String)
        /// XML of another kind; the name of its first element.
        case otherXML(String)
        /// A reading that names no device, and the caller named none.
        case noDevice
        /// Sums of an archive, which are made from readings.
        case sums(kind: String)
    }
}

extension ImportFault: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        self = .disk(
            operation: "\(failure.operation)", path: failure.path, errno: failure.errno)
    }
}

extension ImportFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .disk(let operation, let path, let code):
            "\(path): \(operation) failed: \(String(cString: strerror(code)))"
        case .unknownForm(let path):
            "\(path): is neither CSV, lines of JSON, GPX, an export of Apple's Health app, a file of "
                + "the archive, nor one of these compressed by gzip or zip"
        case .unconverted(let path, .toUTF8): "\(path): is UTF-16, not UTF-8"
        case .unconverted(let path, .toLines):
            "\(path): is a JSON array; an import reads a JSON object a line"
        case .unconverted(let path, .fromGeoJSON):
            "\(path): is GeoJSON, which an import does not read"
        case .ownArchive(let path): "\(path): the day is of this database's own archive"
        case .zip(let path, let reason): "\(path): the zip is damaged or truncated (\(reason))"
        case .gzip(let path, let line, let reason):
            "\(path)\(line.map { ":\($0)" } ?? ""): the gzip file is damaged or truncated (\(reason))"
        case .nothingInside(let path): "\(path): the zip has no file of a known form"
        case .line(let path, let line, let reason): "\(path):\(line): \(reason)"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .ownArchive: "bring it back with `sluice archive restore`"
        case .unconverted(_, .toUTF8): "convert it with `iconv -f UTF-16 -t UTF-8`"
        case .unconverted(_, .toLines): "convert it with `jq -c '.[]'`"
        case .unconverted(_, .fromGeoJSON): "export the positions as GPX, CSV or NDJSON"
        case .line(_, _, .noDevice): "name the device with --device"
        case .line(_, _, .notUTF8): "convert the file to UTF-8, for example with `iconv`"
        case .line(_, _, .sums): "import the readings; the sums follow"
        default: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .disk(_, _, let code): code == ENOENT ? EX_NOINPUT : EX_IOERR
        case .ownArchive: EX_USAGE
        case .unknownForm, .unconverted, .zip, .gzip, .nothingInside, .line: EX_DATAERR
        }
    }
}

extension ImportFault.Reason: CustomStringConvertible {
    /// A clause.
    public var description: String {
        switch self {
        case .truncated: "the file ends in the middle of a reading"
        case .notUTF8: "is not UTF-8"
        case .unknownColumn(let name, let known):
            "readings have no column \"\(name)\"; known are \(known.joined(separator: ", "))"
        case .columnTwice(let name): "the column \"\(name)\" means the same as one before it"
        case .noReadings:
            "these are no readings: positions have latitude and longitude, measurements code or "
                + "metric and value, events label"
        case .severalKinds(let names):
            "there are values of \(names.joined(separator: " and ")): a column \"type\" must say of "
                + "which type each reading is"
        case .cells(let found, let expected): "\(found) cells instead of \(expected)"
        case .afterQuote: "a cell goes on after its closing quote"
        case .tooLong(let max): "longer than \(max) bytes"
        case .tooManyColumns(let max): "more than \(max) columns"
        case .notJSON(let offset): "no JSON object, from byte \(offset) of the line on"
        case .notXML(let text): "no XML: \(text)"
        case .otherXML(let name): "XML of another kind, with the element \"\(name)\""
        case .noDevice: "the reading names no device"
        case .sums(let kind): "an archive of sums (\(kind)), which are made from readings"
        }
    }
}
