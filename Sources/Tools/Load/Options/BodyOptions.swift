import ArgumentParser
import Foundation

/// A body to send in place of a fleet's.
struct BodyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send this file as the body of every request, as it is; - is standard input.",
            discussion: "Readings are counted from the answers: all but the first are duplicates."))
    var body: String?

    @Option(help: "Content type of the bodies, in place of that of --format.")
    var contentType: String?

    /// As large as any server may be set to take.
    private static let bytesMax = 1 << 30

    func validate() throws {
        guard contentType?.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) ?? true else {
            throw ValidationError("--content-type has characters that are not allowed.")
        }
    }

    /// Nil without `--body`.
    func read() throws -> [UInt8]? {
        guard let path = body else { return nil }
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let data = try? file?.read(upToCount: Self.bytesMax + 1) ?? Data(),
            file != nil
        else { throw ValidationError("\(path): can't be read.") }
        guard data.count <= Self.bytesMax else {
            throw ValidationError("\(path): is larger than 1 GiB.")
        }
        return [UInt8](data)
    }
}
