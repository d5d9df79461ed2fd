import Gemini
import Jobs
import Logging
import Media
import Postgres

/// A capture's time is centuries ago or years ahead: no day or hour of it is ever asked for. Such
/// captures are refused now; this one was stored before, or by hand. Its job ends dead, so that
/// `sluice doctor` names it.
struct CaptureTimeUnusable: Error, CustomStringConvertible {
    var description: String { "the capture's time is centuries ago or years ahead" }
}
