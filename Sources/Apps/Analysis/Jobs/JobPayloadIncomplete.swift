/// A job's payload lacks a field that its kind needs.
struct JobPayloadIncomplete: Error {}
