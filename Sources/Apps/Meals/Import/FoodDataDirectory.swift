import Foundation

/// The directory of an unpacked download of FoodData Central.
public struct FoodDataDirectory: FoodDataFiles {
    private let directory: URL
    private static let chunkBytes = 1 << 20

    /// - Parameter path: The directory that contains `food.csv`.
    public init(path: String) {
        directory = URL(filePath: path, directoryHint: .isDirectory)
    }

    /// Reads a file in chunks of 1 MiB.
    public func read(
        _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault) {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: directory.appending(path: name))
        } catch {
            throw .fileMissing(name: name)
        }
        defer { try? handle.close() }
        while true {
            let chunk: Data?
            do {
                chunk = try handle.read(upToCount: Self.chunkBytes)
            } catch {
                throw .unreadable(name: name)
            }
            guard let chunk, !chunk.isEmpty else { return }
            try take(Array(chunk))
        }
    }
}
