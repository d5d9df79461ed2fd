/// The work exceeded its time limit.
package struct TimeLimitExceeded: Error {}
