/// Calls a function on several threads at once.
package enum Parallel {
    /// Returns when all calls have returned.
    ///
    /// - Parameter body: gets the number of its thread, counted from 0.
    package static func run(_ threads: Int, _ body: @escaping (Int) -> Void) {
        let caller = FiberThread(adoptingCaller: ())
        for number in 0..<threads {
            let thread = FiberThread()
            thread.work = {
                body(number)
                caller.passBaton()
            }
            thread.passBaton()
            // A thread without work ends.
            thread.passBaton()
        }
        for _ in 0..<threads { caller.waitForBaton() }
    }
}
