// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// A thread that runs an lws context. Other threads communicate with it only through its mailbox.
package final class LWSServiceThread: Sendable {
    struct Mail {
        var commands: [LoopCommand] = []
        /// The connections whose outboxes contain messages.
        var writable: [UInt64] = []
        var jobs: [Job] = []
    }

    private struct Mailbox {
        var mail = Mail()
        /// The context to wake. It is removed before the thread ends.
        var context: LWSRawContext?
        var state = State.idle
        var ended: [@Sendable () -> Void] = []
    }

    private enum State {
        case idle, running, stopping, ended
    }

    struct Job: Sendable {
        var job: UnownedJob
        var executor: _LoopExecutor

        func run() { unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private let mailbox = Mutex(Mailbox())
    /// Whether the mailbox may have content. It is set under the mailbox's lock and read without it, because lws
    /// reports one wake-up several times, and only the first report finds content.
    private let hasMail = Atomic<Bool>(false)
    /// Whether the thread waits in lws, or is about to, and has not been woken. Otherwise mail needs no wake-up,
    /// because the thread checks for mail before it waits.
    private let isWaiting = Atomic<Bool>(false)

    package init() {}

    /// Posts a command to the mailbox. The first command starts the thread. If the thread has ended or is about to end,
    /// the command is refused before this method returns.
    package func post(_ command: LoopCommand) {
        if !put(whileStopping: false, { $0.commands.append(command) }) { command.refuse(nil) }
    }

    /// Runs a job of a task on this thread, or on a new thread if this thread has ended. A job is never dropped,
    /// because its task would wait forever.
    func run(_ job: UnownedJob, for executor: _LoopExecutor) {
        let job = Job(job: job, executor: executor)
        if let context = currentContext { return context.enqueue(job) }
        if !put(whileStopping: true, { $0.jobs.append(job) }) { Self.runElsewhere([job]) }
    }

    /// Adds to the mail, and starts the thread if it was never started. Returns `false` if the thread has ended, or if
    /// it is about to end and `whileStopping` is `false`.
    private func put(whileStopping: Bool, _ add: (inout Mail) -> Void) -> Bool {
        let (isAccepted, mustStart) = mailbox.withLock { mailbox -> (Bool, Bool) in
            guard mailbox.state != .ended, whileStopping || mailbox.state != .stopping else { return (false, false) }
            let mustStart = mailbox.state == .idle
            if mustStart { mailbox.state = .running }
            add(&mailbox.mail)
            signal(&mailbox)
            return (true, mustStart)
        }
        if mustStart {
            let code = DetachedThread.start { self.run() }
            if code != 0 { end(failure: SocketFault(systemError: code)) }
        }
        return isAccepted
    }

    /// Runs jobs on a new thread, because this thread has ended.
    private static func runElsewhere(_ jobs: [Job]) {
        guard !jobs.isEmpty else { return }
        let code = DetachedThread.start { for job in jobs { job.run() } }
        // If no thread can be started, the jobs run on the current thread.
        if code != 0 { for job in jobs { job.run() } }
    }

    /// The context if the current thread is this service thread, otherwise `nil`.
    package var currentContext: LWSContext? {
        guard let context = LWSContext.current, context.thread === self else { return nil }
        return context
    }

    package func markWritable(_ connection: UInt64) {
        mailbox.withLock { mailbox in
            guard mailbox.state == .running || mailbox.state == .stopping else { return }
            mailbox.mail.writable.append(connection)
            signal(&mailbox)
        }
    }

    private func signal(_ mailbox: inout Mailbox) {
        // Sequentially consistent, as in `beginWaiting`: one of the two threads sees what the other one has stored.
        hasMail.store(true, ordering: .sequentiallyConsistent)
        guard let context = mailbox.context, isWaiting.exchange(false, ordering: .sequentiallyConsistent) else {
            return
        }
        unsafe lws_cancel_service(context.pointer)
    }

    /// Records that the thread is about to wait for descriptors. From now on, mail wakes it. Returns `false` if there
    /// is mail, because a wake-up may be missing for it.
    func beginWaiting() -> Bool {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        guard hasMail.load(ordering: .sequentiallyConsistent) else { return true }
        isWaiting.store(false, ordering: .relaxed)
        return false
    }

    /// Records that the thread does not wait. It checks for mail before it waits again.
    func endWaiting() {
        if isWaiting.load(ordering: .relaxed) { isWaiting.store(false, ordering: .relaxed) }
    }

    /// Empties the mailbox. Called on the service thread only.
    func takeMail(reusing mail: inout Mail) {
        mail.commands.removeAll(keepingCapacity: true)
        mail.writable.removeAll(keepingCapacity: true)
        mail.jobs.removeAll(keepingCapacity: true)
        // A command that is posted after this sets the flag again, under the lock.
        guard hasMail.exchange(false, ordering: .acquiring) else { return }
        mailbox.withLock { swap(&$0.mail, &mail) }
    }

    /// Ends the thread when its connections are closed or the deadline has passed, at the latest 500 ms after the task is
    /// cancelled. Returns after it has ended.
    package func shutDown(deadline: Duration) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = mailbox.withLock { mailbox in
                    guard mailbox.state == .running || mailbox.state == .stopping else {
                        mailbox.state = .ended
                        return true
                    }
                    mailbox.ended.append { continuation.resume() }
                    guard mailbox.state == .running else { return false }
                    mailbox.state = .stopping
                    mailbox.mail.commands.append(LoopCommand { $0.shutDown(deadline: deadline) })
                    signal(&mailbox)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            mailbox.withLock { mailbox in
                guard mailbox.state == .running || mailbox.state == .stopping else { return }
                mailbox.mail.commands.append(LoopCommand { $0.hastenShutdown() })
                signal(&mailbox)
            }
        }
    }

    // MARK: The thread

    private func run() {
        let raw: LWSRawContext
        do throws(SocketFault) {
            raw = try LWSProcess.takeContext()
        } catch {
            return end(failure: error)
        }
        let context = LWSContext(raw, thread: self)
        mailbox.withLock { $0.context = raw }
        context.run()
        mailbox.withLock { $0.context = nil }
        context.end()
        Self.runElsewhere(context.takeJobs())
        // Otherwise it would happen after `end`, when the program may already be exiting.
        OPENSSL_thread_stop()
        end(failure: nil)
    }

    /// Refuses the remaining commands, because the thread has ended or could not start.
    ///
    /// If the thread could not start, the next command tries again.
    ///
    /// - Parameter failure: The reason why the thread could not start, or `nil` if it has ended.
    private func end(failure: SocketFault?) {
        let (mail, ended) = mailbox.withLock { mailbox in
            mailbox.state = failure != nil && mailbox.state == .running ? .idle : .ended
            defer {
                mailbox.mail = Mail()
                mailbox.ended = []
            }
            return (mailbox.mail, mailbox.ended)
        }
        Self.runElsewhere(mail.jobs)
        for command in mail.commands { command.refuse(failure) }
        for waiter in ended { waiter() }
    }
}

/// A task executor that runs tasks on a service thread. Its public name is that of the module that makes it.
public final class _LoopExecutor: TaskExecutor {
    private let thread: LWSServiceThread

    package init(_ thread: LWSServiceThread) { self.thread = thread }

    /// Schedules a job on the event loop's thread. The Swift runtime calls this method.
    public func enqueue(_ job: consuming ExecutorJob) {
        thread.run(UnownedJob(job), for: self)
    }
}

/// The threads of this module: detached, and with all signals blocked.
enum DetachedThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs the body on a new thread.
    ///
    /// The signals are blocked, so that the program's own threads receive them. OpenSSL writes without `MSG_NOSIGNAL`:
    /// with SIGPIPE blocked, a reset by the peer is an error and not a signal. A new thread inherits the mask.
    ///
    /// - Returns: 0, or the `errno` if no thread could be started.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        var everySignal = sigset_t()
        var signalsBefore = sigset_t()
        unsafe sigfillset(&everySignal)
        unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &signalsBefore)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &signalsBefore, nil) }

        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // The new thread takes over this retain. If no thread can be started, it is released below.
        let box = unsafe Unmanaged.passRetained(Body(body))
        let result = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Takes over the retain that the thread was started with, once: a thread runs its function once.
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if result != 0 { unsafe box.release() }
        return result
    }
}
