/// HTTP: one port, the hot path, the routes, and the one place where an outcome becomes a status
/// and a sentence.
///
/// ```
///                ┌────── the quick path: usual requests ──────┐
///  socket ─▶ WireHandler ─▶ HTTP decoder ─▶ pipelining ─▶ ConnectionHandler ─┬─ readings: here
///                │            ▲                 ▲              │         └─ all else: codec,
///                └◀──────── ReadyAnswerHandler ◀┴──────────────┘            async channel, router
/// ```
///
/// - **A request to `/ingest` stays on its event loop** until its batch is offered to a lane. Its
///   head is judged in one pass over the header fields, its body is scanned in place as it arrives,
///   and the answer is one buffer that bypasses the HTTP encoder. A request needs no future, no
///   task and no timer of its own.
/// - **A usual request with readings bypasses the HTTP decoder, too.** Its head is recognised in the received
///   bytes (``IngestHead/recognise(_:_:bytesMax:fieldsMax:)``), and its body is scanned from there.
///   The first head that is unusual in any way moves the connection to the HTTP handlers for good,
///   at a request boundary. Measured with three readings a request and 512 connections: 1.13 times
///   the requests a second; the event loops took 17.6 µs of CPU a request instead of 23.
/// - **Requests that will be rejected are rejected before the body is buffered.** The checks, in
///   order: method, key, content type, encoding, `Idempotency-Key`, declared length, bytes in
///   flight, the lanes, the key's quota. The check of the lanes counts admitted bodies as if they
///   had arrived. A head does not name the device, so it passes while any lane has room; for a
///   large body the device's own lane is asked again once the envelope was read, so that it is not
///   scanned whole to find no room. The rest of a rejected request is discarded: a short rest so
///   that the connection can be kept, a long one so that the client can read the answer before the
///   connection is closed. Closing a socket with unread bytes would destroy the answer in the
///   client's kernel.
/// - **A connection handles one request at a time.** Pipelined requests are held in the pipelining
///   handler, or on the quick path in ``WireHandler``. Meanwhile the socket is read at most once
///   more.
/// - **Decisions are separate from actions.** ``RequestStateMachine`` decides and knows no socket;
///   ``ConnectionHandler`` acts. ``IngestHead`` finds what is wrong with a head, and
///   ``RequestFailure`` holds what the client is told about it.
/// - **Time-outs cost nothing per request.** Each loop checks its connections four times a second
///   (``HTTPConfiguration/sweepInterval``).
/// - **Acknowledgements** come from a lane's queue, once per commit and loop, in one hop for all of
///   them (``ConnectionLoop``). A batch whose client is gone or has timed out keeps its ticket, so
///   that its outcome is still counted.
///
/// - **The first request that brings no readings decides what a connection becomes**
///   (``ConnectionFate``). Only then are the router's handlers added, or do WebSocket handlers
///   replace those of HTTP (``SocketHandler``, ``SocketStateMachine``).
/// - **With a certificate the port speaks TLS only** (``TLSContext``), and HTTP/2 if the client
///   chooses it. A stream is handled like a connection with one request (``StreamedConnection``).
/// - **What devices may send is a list of values**, too: an ``InputFormat`` says who sends, how a
///   body becomes readings, and what the answers look like. `/ingest` is the first of them. Bodies of
///   the others are translated into its form, and flow through the same lanes, limits and promises.
/// - **All other routes are values** (``Route``), in groups of one system each (``RouteGroup``) and in
///   one table (``RouteTable``). Apps bring theirs, with their form of errors (``ErrorEnvelope``)
///   and what each failure says (``RequestFailure``), both used on every layer. Authorization comes
///   before anything else (``RouteGuard``). `OpenAPI/` holds the document of all routes and a page that
///   shows it.
/// - **A route that stores something through the lanes** awaits the outcome in one place, with a
///   time limit (``UnitAdmission``). The session of a socket gets the outcome from its loop
///   (``SocketSession``).
///
/// - **The status page** (`StatusPage/`) is for operators. It needs a key with the scope `status`.
///   In a browser the key becomes a session of twelve hours; there are at most 256 sessions, in
///   memory only. At most 64 clients watch at a time (``StatusRoutes``). Their streams end when the
///   server stops and delay nothing (``StatusStream``). Positions are queried from the database at
///   most every four seconds (``LatestPositions``).
///
/// Memory of a connection: about 10 KiB when idle, without a scanner; about 7 KiB as an idle
/// WebSocket without TLS; in use also its body's part of ``HTTPConfiguration/inFlightBytesMax``,
/// which all connections share. A crash loses only what was not acknowledged.
enum HTTP {}
