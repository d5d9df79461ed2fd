import Foundation

/// A source of FoodData Central's files.
public protocol FoodDataFiles {
    /// Reads a file and gives out its bytes in order, in chunks of any size.
    ///
    /// - Throws: `.fileMissing`, `.unreadable`, and what `take` throws.
    func read(
        _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault)
}
