import Foundation

enum ProjectRoot {
    /// The checkout that this was built in, from this file's place in it.
    static let path = (0..<6).reduce(URL(fileURLWithPath: #filePath)) { place, _ in
        place.deletingLastPathComponent()
    }.path
}
