import Server

extension DataDirectory {
    /// The default directory of uploaded files.
    var mediaPath: String { path + "/media" }

    /// Where uploads wait until they are in a bucket.
    var stagingPath: String { path + "/staging" }
}
