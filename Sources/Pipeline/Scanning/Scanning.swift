/// From body bytes to COPY BINARY tuples in one pass, chunk by chunk.
///
/// ```
///  chunk ──▶ PaddedInput ──▶ BatchScanner ──▶ fast reading ──▶ TupleBuffer of its kind ──▶ Parcel
///            (partial kept)   │         │        │ anything unusual
///                             │         │        ▼
///                             │         │    plain reading ──▶ TupleBuffer or quarantine
///                             │         └──▶ StreamingValidator (what is skipped)
///                             └──▶ Envelope, or SenderCache that knows it
/// ```
///
/// - **What a reading is** stands in one place: ``PlainReading`` knows every rule. The fast path
///   in front knows the shape that clients really send (keys in any order; ``FlatObject`` for an
///   event's metadata) and gives everything else back untouched, so it can only be right or absent.
/// - **A small batch is mostly envelope and allocations**: its three readings take 100 ns. So an
///   envelope that came before is only compared (``SenderCache``), and the rows of all kinds are
///   copied into one allocation (``TupleSlab``), while the scanner's buffers stay for the next.
/// - **Nothing is resumed byte by byte.** A chunk is copied behind the partial reading before it
///   (2–3 ns a reading), and the reading is scanned again from its start. A reading that stays
///   incomplete is tried again only when the bytes on hand have doubled, so that many small
///   chunks cost linear time.
/// - **Memory** of a batch in flight: its tuples, plus one partial reading (at most
///   `readingBytesMax`, twice that before it is tried again) and one piece of 64 KiB.
/// - **The answer does not depend on the chunking**: size limits are applied to the bytes of the
///   document, never to what happens to be in the buffer.
/// - **Duplicate keys**: one of two values would silently be lost, so a reading with a known key
///   twice is quarantined and an envelope with `metadata`, `data` or a device attribute twice is
///   refused. Unknown keys are ignored, twice too. Inside an event's `metadata` the last wins, as
///   in `jsonb`.
/// - **Unsafe code** is in `PaddedInput` (reads), `TupleBuffer`, `TupleSlab`, `FlatObject.write` and
///   `Window.unescape` (writes to what was reserved), the places of `SenderCache` and one call of
///   `strtod`.
///   Every read that a parser makes ahead of its position is at most 64 bytes past the end,
///   which are there and zero; no position moves past a zero.
///
/// One module with concrete types, because a module border inside the hot loop costs a tenth.
enum Scanning {}
