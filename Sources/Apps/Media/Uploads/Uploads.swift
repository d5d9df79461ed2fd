/// Uploads: what the routes of all systems with files share.
///
/// - **An upload** is judged from its head alone (``UploadAdmission``), then streamed in pieces, as
///   fast as it is written. ``RouteConfiguration`` limits how many run at a time and how much each
///   uploader may send in a day (``UploadShares``).
/// - **A stored file** is sent as fast as its client takes it (``FileAnswer``).
///
/// Memory of an upload: about 300 KiB. Shares are in memory, on this node alone. A crash loses only
/// uploads that were not answered; their files are swept later.
enum Uploads {}
