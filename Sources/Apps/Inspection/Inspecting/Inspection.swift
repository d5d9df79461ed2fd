import Glibc
import Inspections

/// The program `sluice-inspect`: reads one untrusted file in a process with few rights. The server
/// starts it for each picture, film and recording.
///
/// Whatever reads the structure of an uploaded file is in this module, and the libraries that it
/// links (libgexiv2, libgd) are in no other program. They are large and written in C: one may
/// crash, loop, or use up all memory. Here that ends only this process, which holds no data of the
/// server. It sets its limits (``InspectionLimits``) before it reads the file. Films and recordings
/// are read here (``MovieFacts``), because linking a library for them takes 20 ms at every start.
///
/// The file is a private mapping: changes are made in memory, and reported (``FileReport/edits``).
/// The server makes them in the file.
public enum Inspection {
    /// Reads the file that is standard input, writes an ``InspectionAnswer`` to standard output and
    /// ends the process.
    ///
    /// - Parameter words: the name of the program, and an ``InspectionOrder``.
    public static func run(_ words: [String]) -> Never {
        guard let order = InspectionOrder(words: Array(words.dropFirst())) else {
            write(Array("the server starts this program; it is no command\n".utf8), STDERR_FILENO)
            _exit(Inspections.misunderstoodStatus)
        }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { _exit(EX_NOINPUT) }
        let bytes = Int(status.st_size)
        guard order.limits.impose(fileBytes: bytes) else { _exit(Inspections.unlimitedStatus) }
        let file = mmap(
            nil, max(1, bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE, STDIN_FILENO, 0)
        guard let file, file != MAP_FAILED else { _exit(EX_NOINPUT) }
        write(answer(to: order, UnsafeMutableRawBufferPointer(start: file, count: bytes)).encoded)
        _exit(EX_OK)
    }

    /// - Parameter file: changed as the answer says.
    static func answer(
        to order: InspectionOrder, _ file: UnsafeMutableRawBufferPointer
    ) -> InspectionAnswer {
        switch order.wish {
        case .report(let erasesLocation):
            let report = report(file, order.type, erasesLocation: erasesLocation)
            return report.map { .report($0) } ?? .fault(.unreadable)
        case .thumbnail(let width, let pixelsMax):
            switch ThumbnailImage.make(
                of: UnsafeRawBufferPointer(file), type: order.type, width: width,
                pixelsMax: pixelsMax)
            {
            case .success(let image): return .thumbnail(image)
            case .failure(let fault): return .fault(fault)
            }
        }
    }

    /// - Returns: nil when there are neither facts nor anything to erase.
    private static func report(
        _ file: UnsafeMutableRawBufferPointer, _ type: MediaType, erasesLocation: Bool
    ) -> FileReport? {
        var report = FileReport()
        let bytes = FileBytes(file)
        if erasesLocation {
            do throws(Unsettled) {
                try LocationEraser.erase(from: bytes, type: type)
                report.edits = bytes.edits
            } catch {
                report.isLocationSettled = false
                return report
            }
        }
        if type.kind == .image {
            report.image = ImageFacts.read(UnsafeRawBufferPointer(file))
            // Another reader's opinion.
            if erasesLocation, report.image?.hasLocation == true {
                report.isLocationSettled = false
                report.edits = []
            }
        } else {
            report.film = film(bytes, type)
        }
        let isRead = report.image != nil || report.film != nil
        return isRead || erasesLocation ? report : nil
    }

    /// - Returns: nil when it can't be read, or takes too much work.
    private static func film(_ file: FileBytes, _ type: MediaType) -> FilmFacts? {
        do throws(Unsettled) {
            switch type {
            case .mp4, .mov, .m4a, .threeGP: return try MovieFacts.read(file)
            case .mp3: return try MP3Sound(file).facts()
            case .wav: return try WaveSound(file).facts()
            default: return nil
            }
        } catch {
            return nil
        }
    }

    private static func write(_ bytes: [UInt8], _ output: Int32 = STDOUT_FILENO) {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            var place = 0
            while place < bytes.count {
                let count = Glibc.write(output, start + place, bytes.count - place)
                guard count > 0 || errno == EINTR else { _exit(EX_IOERR) }
                place += max(0, count)
            }
        }
    }
}
