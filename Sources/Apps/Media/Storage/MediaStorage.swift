import S3

/// Uploads from the multipart body to the stored file, and downloads: splits the body into parts,
/// detects file types from content, stores files by digest and serves them in ranges. This module
/// knows no routes and no users. Of captures it knows only the names of their files.
///
/// ```
/// chunk ─▶ MultipartReader ─▶ events ─▶ MediaWriter ─▶ StoredObject ─▶ row in sluice.media_file
///                                                                          │ (MediaCatalog, in the
/// GET ─▶ MediaAnswer (ETag, Range) ◀─ StoredMedia ◀─ MediaLibrary.open ◀───┘  caller's transaction)
/// ```
///
/// A few threads (`DiskThreads`) hash and write each piece as it arrives. An upload's next piece is
/// requested when the previous one has been written. Rows are looked up for many GETs with one
/// statement at a time (`MediaLookups`); each GET gets an answer as fresh as from a statement of
/// its own. Recently read files stay open (`OpenObjects`), which is safe because an object's
/// content never changes.
///
/// ## Promises
/// - When `finish()` returns, the bytes survive a power cut. A row that is committed within the
///   grace time therefore never names a missing file; ``MediaStore`` explains why.
/// - An upload that fails, is aborted or dies with its process leaves nothing that is ever served.
///   A later sweep removes what it left on the disk or in the bucket.
/// - No name from outside reaches a file system: stores know only digests (``ObjectName``), and
///   paths are keys of rows (``MediaPath``).
///
/// ## Limits
/// Memory of an upload: the headers of one part, 8 KiB by default. Its bytes are written from the
/// caller's buffer. Memory of a download: one piece of 64 KiB, for any file and store. The caller
/// sees every piece of an upload, so the caller limits its size. Disk operations share 16 threads.
///
/// ## Full
/// A full disk, quota or bucket is ``MediaStoreError/full``. The upload is lost; everything else
/// continues, and removing needs no space.
///
/// ## What a crash leaves
/// In a directory: files under `incoming/`, which a sweep removes once they are unlocked and a
/// minute old. In a bucket: parts of an unfinished upload, which a sweep drops when they are older
/// than the grace time; the staged file has no name and disappears with its process. In both:
/// objects that no row names, which a sweep removes after the grace time.
public enum MediaStorage {
    /// The most bytes of one piece of a download.
    public static let pieceBytesMax = 64 << 10

    /// Opens the store. A missing directory is created. A bucket gets no request yet.
    ///
    /// - Throws: ``MediaStoreError`` when a directory can't be used.
    public static func open(_ configuration: MediaConfiguration) throws(MediaStoreError)
        -> any MediaStore
    {
        switch configuration.location {
        case .directory(let path):
            return try DirectoryStore(
                path: path, graceTime: configuration.graceTime, threads: configuration.diskThreads)
        case .bucket(let bucket):
            return try S3Store(
                bucket, credentials: configuration.credentials,
                stagingDirectory: configuration.stagingDirectory,
                graceTime: configuration.graceTime, threads: configuration.diskThreads)
        }
    }
}
