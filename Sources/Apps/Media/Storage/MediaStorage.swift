/// The way of an upload: taking a multipart body apart, telling what its bytes are, keeping them by
/// content, serving them in ranges. It knows no route, no user and no capture beyond the names of
/// its files.
///
/// ```
/// chunk ─▶ MultipartReader ─▶ events ─▶ MediaWriter ─▶ StoredObject ─▶ row in sluice.media_file
///                                                                          │ (MediaCatalog, in the
/// GET ─▶ MediaAnswer (ETag, Range) ◀─ StoredMedia ◀─ MediaLibrary.open ◀───┘  caller's transaction)
/// ```
///
/// A few threads hash and write what comes, piece by piece (`DiskThreads`); an upload's next piece is
/// asked for when the one before is written. Rows are found for many GETs with one statement at a time
/// (`MediaLookups`), which is as true as a statement for each, and files stay open for a while
/// (`OpenObjects`), which is as true since content never changes.
///
/// ## Promises
/// - `finish()` comes back when the bytes would survive a power cut. A row that is committed within
///   the grace time therefore never names a file that is not there; ``MediaStore`` says why.
/// - An upload that fails, is aborted or dies with its process leaves nothing that is ever served;
///   what it leaves on the disk or in the bucket goes with a later sweep.
/// - No name from outside reaches a file system: stores know digests only (``ObjectName``), paths
///   are rows' keys (``MediaPath``).
///
/// ## Limits
/// Memory of an upload: one part's headers of 8 KiB; its bytes go to the file from where the caller
/// has them. Of a download: one piece of 64 KiB, whatever the file's size and whichever the store. What is larger
/// than a caller wants is for the caller to stop: it sees every piece. Disk operations wait for one
/// of 16 threads.
///
/// ## Full
/// A full disk, quota or bucket is ``MediaStoreError/full``: the upload is gone, everything else goes
/// on, and removing needs no room.
///
/// ## What a crash leaves
/// A directory: files under `incoming/`, which the next sweep removes as soon as nobody holds their
/// lock. A bucket: parts of an unfinished upload, which a sweep drops when they are older than the
/// grace time; the staged file has no name and is gone with its process. Either: objects that no row
/// names, which a sweep removes after the grace time.
public enum MediaStorage {
    /// Bytes of one piece of a download at most.
    public static let pieceBytesMax = 64 << 10
}
