import Foundation

enum ProjectRoot {
    /// The checkout in which this program was built, found from the path of this file.
    static let path = (0..<6).reduce(URL(fileURLWithPath: #filePath)) { place, _ in
        place.deletingLastPathComponent()
    }.path
}
