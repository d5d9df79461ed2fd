/// Turns body bytes into COPY BINARY tuples in one pass, chunk by chunk.
///
/// ```
///  chunk ──▶ PaddedInput ──▶ BatchScanner ──▶ fast reading ──▶ TupleBuffer of its kind ──▶ DeviceBatch
///            (partial kept)   │         │        │ anything unusual
///                             │         │        ▼
///                             │         │    plain reading ──▶ TupleBuffer or quarantine
///                             │         └──▶ StreamingValidator (what is skipped)
///                             └──▶ Envelope, or SenderCache that knows it
/// ```
///
/// - **What a reading is** is defined in one place: ``PlainReading`` knows every rule. The fast
///   path before it knows the shape that clients really send (keys in any order; ``FlatObject`` for
///   an event's metadata) and leaves everything else untouched, so it is either right or not used.
/// - **A small batch is mostly envelope and allocations**: its three readings take 100 ns. So a
///   known envelope is only compared (``SenderCache``), and the rows of all kinds are copied into
///   one allocation (``TupleSlab``), while the scanner keeps its buffers for the next batch.
/// - **Nothing is resumed byte by byte.** A chunk is copied after the partial reading before it
///   (2–3 ns a reading), and the reading is scanned again from its start. A reading that stays
///   incomplete is retried only when the buffered bytes have doubled, so that many small chunks
///   cost linear time.
/// - **Memory** of a batch in flight: its tuples, one partial reading (at most `readingBytesMax`,
///   twice that before it is retried) and one piece of 64 KiB.
/// - **The answer does not depend on the chunking**: size limits apply to the bytes of the
///   document, never to the content of the buffer.
/// - **Without an envelope** (``BareDevices``) each reading names its device. Arrays and lines take the
///   complete path. A line is copied to a buffer of its own, so that a text that is not closed ends
///   with its line, and bad lines cost time in proportion to their bytes.
/// - **What is not read is named** (``IgnoredFields``): a reading with such a field takes the complete
///   path, so others pay nothing for it.
/// - **A metric's name** in place of a code is kept aside (``NamedVitals``) until it has a code.
/// - **Duplicate keys**: one of two values would silently be lost. So a reading with a known key
///   twice is quarantined, and an envelope with `metadata`, `data` or a device attribute twice is
///   rejected. Unknown keys are ignored, also when they are repeated. Inside an event's `metadata`
///   the last value wins, as in `jsonb`.
/// - **Unsafe code** is in `PaddedInput` (reads), `TupleBuffer`, `TupleSlab`, `FlatObject.write`
///   and `Window.unescape` (writes to reserved memory), the places of `SenderCache` and one call of
///   `strtod`. A parser reads at most 64 bytes past the end, which exist and are zero; no position
///   moves past a zero.
///
/// One module with concrete types: a module boundary inside the hot loop costs a tenth.
enum Scanner {}
