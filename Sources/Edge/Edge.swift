/// HTTP in front of everything: one port, the hot path and the routes, and the one place where an
/// outcome becomes a status and a sentence.
///
/// ```
///                ┌──────── the quick way: usual posts ────────┐
///  socket ─▶ WireHandler ─▶ HTTP decoder ─▶ pipelining ─▶ ConnectionHandler ─┬─ POST /ingest: here
///                │            ▲                 ▲              │         └─ all else: codec,
///                └◀──────── ReadyAnswerHandler ◀┴──────────────┘            async channel, router
/// ```
///
/// - **A request to `/ingest` never leaves its event loop** until its batch is offered to a lane:
///   its head is judged in one pass over the headers, its body is scanned in place as it
///   arrives, and the answer is one buffer that goes round the HTTP encoder. There is no future,
///   no task and no timer of its own.
/// - **A usual post goes round HTTP's machinery**: its head is recognised in the received bytes
///   (``IngestHead/recognise(_:bytesMax:fieldsMax:)``), its body is scanned from there. The first
///   head of a connection that is in any way unusual ends that for this connection, at a request
///   border. Measured with three readings a request and 512 connections: 1.13 times the requests
///   a second; the event loops took 17.6 µs of CPU a request instead of 23.
/// - **What is refused is refused before its body is buffered**, in this order: method, key,
///   content type, encoding, `Idempotency-Key`, declared length, bytes in flight, the sink's
///   own opinion. The last counts bodies that are about to come as if they were there. What the
///   client sends after that is swallowed: a short rest so that the connection can be kept, a long
///   one so that the client gets to read the answer before the connection ends. Closing with
///   unread bytes would destroy the answer in the client's kernel.
/// - **One request of a connection at a time.** Pipelined requests wait in the pipelining
///   handler; while they do, nothing more is read from that socket.
/// - **Deciding is apart from acting.** ``RequestStateMachine`` decides and knows no socket;
///   ``ConnectionHandler`` acts. ``IngestHead`` says what is wrong with a head, `Failure+Answer`
///   what a client is told about it.
/// - **Time-outs cost nothing per request**: each loop looks over its connections four times a
///   second (``EdgeConfiguration/sweepInterval``).
/// - **Acknowledgements** come from a lane's queue, once per commit and loop, and take one hop
///   for all of them (``EdgeLoop``). A batch whose connection is gone or whose patience has run
///   out keeps its ticket, so that the books still add up when its outcome comes.
///
/// - **What a connection becomes is decided by its first request that is not for `/ingest`**
///   (``ConnectionFate``): only then does the router's side come behind the handlers, or do WebSocket
///   handlers take the place of HTTP's (``SocketHandler``, ``SocketStateMachine``).
/// - **With a certificate the port speaks TLS only** (``TLSContext``), and HTTP/2 where the client
///   likes it: each stream goes the way of a connection with one request (``StreamedConnection``).
/// - **Routes of users' apps are the router's** (`Routes/`). Who may call is decided before anything
///   else (``RouteGuard``). Uploads and files stream through the
///   router, a piece at a time: an upload is read as fast as it is written (``UploadDesk``), as many at
///   a time as ``RouteConfiguration/uploadsMax`` says; a file is read as fast as its client takes it
///   (``FileAnswer``). Each system has errors of its own form, on whatever layer they arise
///   (``ErrorEnvelope``). `OpenAPI/` holds the document of all routes, and a page that shows it.
/// - **What a route stores through the lanes** waits for its outcome in one place, with a time limit
///   (``UnitDesk``). A session of a socket is told by its loop instead (``SocketSession``).
///
/// - **The status page** (`Routes/Status/`, its files in `Status/`) is for operators: keys with the
///   scope `status`, which in a browser become sessions of twelve hours, 256 at most, in memory only. At
///   most 64 watch at a time (``StatusRoutes``); streams end with the server and hold nobody up
///   (``StatusStream``). Positions are asked of the database at most every four seconds
///   (``LatestPositions``).
///
/// Memory of a connection: idle about 10 KiB and no scanner, about 7 KiB as an idle WebSocket without
/// TLS; in use what its body holds of ``EdgeConfiguration/inFlightBytesMax``, which all connections
/// share. A crash loses what was not acknowledged, and nothing else.
enum Edge {}
