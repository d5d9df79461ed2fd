/// The bounded channel between event loops and a lane, and the signal that wakes the lane.
///
/// - Bounded in bytes, because queued batches cost memory, not slots. An empty channel takes any
///   one element, so that nothing legal is ever too large for it.
/// - One device can't fill it: it may have four times the free bytes queued, so that there is
///   always room for another device's batch.
/// - When it is full `offer` says so and keeps nothing: being full is normal, and the edge answers
///   503 before anything is promised.
/// - A crash loses the queue. Live batches in it are unacknowledged, replayed ones are in the
///   spool.
/// - One mutex, held for a few instructions; producers take it a few times per batch and the
///   consumer once per group, never per reading.
enum Channels {}
