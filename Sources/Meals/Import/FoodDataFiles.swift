/// Where the files of FoodData Central are read from.
public protocol FoodDataFiles {
    /// Gives out the bytes of a file in order, in chunks of any size.
    ///
    /// - Throws: `.fileMissing`, `.unreadable`, and what `take` throws.
    func read(
        _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
    ) throws(FoodImportFault)
}
