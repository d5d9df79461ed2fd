/// The form of an archive file, which its name ends with.
///
/// Files are written as ``csvZstd``. The others were written before, and are still read; a file
/// from which devices are erased keeps its text.
enum ArchiveForm: String, CaseIterable {
    /// COPY's text form, an LZ4 frame.
    case copyLZ4 = ".copy.lz4"
    /// The same text, a Zstandard frame.
    case copyZstd = ".copy.zst"
    /// CSV (RFC 4180) with a header, a Zstandard frame. DuckDB and pyarrow read it.
    case csvZstd = ".csv.zst"

    /// The form of a file; nil: its name is not one of an archive file.
    init?(ofFile name: String) {
        guard let form = Self.allCases.first(where: { name.hasSuffix($0.rawValue) }) else {
            return nil
        }
        self = form
    }

    /// The name without the form.
    static func baseName(of file: String) -> String {
        guard let form = ArchiveForm(ofFile: file) else { return file }
        return String(file.dropLast(form.rawValue.count))
    }

    var isCSV: Bool { self == .csvZstd }

    /// The form of a file that replaces one of this form.
    var ofSuccessor: ArchiveForm { isCSV ? .csvZstd : .copyZstd }
}
