/// Files that become readings: what `sluice import` reads.
///
/// - **Forms**, told from the first bytes, not from names: CSV and lines of JSON with the columns of
///   the views or the keys of `/ingest`, so also what `sluice export`, but for GeoJSON, and
///   `sluice spool export` write; GPX; the export of Apple's Health app; files of the archive; and any of these but the last
///   compressed by gzip or zip.
/// - **One judge.** A form is translated into readings of `/ingest`, each with its line. What is
///   wrong with a value is passed on: the scanner finds it, and the reading is quarantined. What is
///   wrong with the file, such as an unknown column or an end in the middle, is an ``ImportFault``
///   with file and line.
/// - **Memory.** A file is read, and unpacked, in pieces of 64 KiB. A line, a row or a text in XML has at most
///   1 MiB, a row at most 256 cells. Nothing else is kept of what was read.
/// - **Trust.** Files come from outside. XML has no external entities here, and expat limits how much
///   entities may grow.
enum Imports {
    /// Bytes that are read at once.
    static let pieceBytes = 64 * 1024
    /// Bytes of a line, a row or a text in XML.
    static let lineBytesMax = 1 << 20
}
