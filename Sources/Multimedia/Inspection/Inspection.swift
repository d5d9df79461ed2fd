import Foundation
import MediaStorage

/// Looks into one file of a stranger's, in a process of its own that can do little else: `sluice
/// inspect`, which the server starts for each picture, film and recording (``Inspector``).
///
/// The libraries that read such files are large and written in C: one may crash, loop, or take all
/// memory. Here that ends this process, with nothing of the server's in it. It takes its limits
/// (``InspectionLimits``) before it looks at the file.
public enum Inspection {
    /// The status when the limits can't be set: then nothing is looked at.
    static let unlimitedStatus = EX_OSERR

    /// Reads the file that is standard input, writes an ``InspectionAnswer`` to standard output and
    /// ends the process.
    ///
    /// - Parameter order: an ``InspectionOrder``.
    public static func run(_ order: String) -> Never {
        guard let order = try? JSONDecoder().decode(InspectionOrder.self, from: Data(order.utf8))
        else { _exit(EX_USAGE) }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { _exit(EX_NOINPUT) }
        let bytes = Int(status.st_size)
        guard order.limits.impose(fileBytes: bytes) else { _exit(unlimitedStatus) }
        let file = mmap(nil, max(1, bytes), PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0)
        guard file != MAP_FAILED else { _exit(EX_NOINPUT) }
        write(answer(to: order, UnsafeRawBufferPointer(start: file, count: bytes)).encoded)
        _exit(EX_OK)
    }

    private static func answer(
        to order: InspectionOrder, _ file: UnsafeRawBufferPointer
    ) -> InspectionAnswer {
        switch order.wish {
        case .image:
            return ImageFacts.read(file).map { .image($0) } ?? .fault(.unreadable)
        case .film:
            return MediaFacts.read(file, type: order.type).map { .film($0) } ?? .fault(.unreadable)
        case .thumbnail(let width, let pixelsMax):
            switch ThumbnailImage.make(
                of: file, type: order.type, width: width, pixelsMax: pixelsMax)
            {
            case .success(let image): return .thumbnail(image)
            case .failure(let fault): return .fault(fault)
            }
        }
    }

    private static func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let count = Glibc.write(
                    STDOUT_FILENO, bytes.baseAddress! + place, bytes.count - place)
                guard count > 0 || errno == EINTR else { _exit(EX_IOERR) }
                place += max(0, count)
            }
        }
    }
}
