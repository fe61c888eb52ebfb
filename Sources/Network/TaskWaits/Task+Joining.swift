// swift-jsonrpc · SPDX-License-Identifier: MIT

extension Task {
    /// The outcome of the task. If the waiting task is cancelled, this task is cancelled too, and the wait goes on until it
    /// ends.
    package var joined: Result<Success, Failure> {
        get async {
            await withTaskCancellationHandler {
                await result
            } onCancel: {
                cancel()
            }
        }
    }
}
