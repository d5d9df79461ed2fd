import CZlib
import Glibc

/// A file that is compressed by gzip, which zlib unpacks piece by piece and compares with its checksums.
/// It may consist of several members, one behind the other.
///
/// - Source: RFC 1952; zlib.h, "gzip file access functions".
final class GzipFile {
    private let path: String
    private let place: String
    private let file: gzFile
    /// Bytes of the file.
    let size: Int

    /// - Parameters:
    ///   - path: for messages.
    ///   - place: what is opened.
    ///   - size: of the file, compressed.
    init(_ path: String, at place: String, size: Int) throws(ImportFault) {
        guard let file = gzopen(place, "rb") else {
            throw .disk(operation: "open", path: path, errno: errno)
        }
        (self.path, self.place) = (path, place)
        self.file = file
        self.size = size
    }

    deinit { gzclose(file) }

    /// Bytes of the file that were read, compressed.
    var offset: Int { Int(gzoffset(file)) }

    /// The next unpacked bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportFault) -> Int {
        let count = Int(gzread(file, buffer.baseAddress, UInt32(buffer.count)))
        guard count <= 0 else { return count }
        // A file that ends too early gave all that is there before.
        var code: Int32 = 0
        let text = gzerror(file, &code).map { String(cString: $0) } ?? ""
        switch code {
        case Z_OK, Z_STREAM_END: return 0
        case Z_ERRNO: throw .disk(operation: "read", path: path, errno: errno)
        default:
            let prefix = "\(place): "
            throw .gzip(
                path: path, line: nil,
                reason: text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        }
    }
}
