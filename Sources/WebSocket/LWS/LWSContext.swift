// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A service thread's lws context, and everything it serves. It never leaves its thread.
///
/// lws polls descriptors, keeps timers and can be woken; reading, writing and the protocol are the owners' affair.
@safe final class LWSContext {
    private let raw: LWSRawContext
    @unsafe var pointer: OpaquePointer { unsafe raw.pointer }
    /// Where descriptors are adopted.
    @unsafe var vhost: OpaquePointer { unsafe raw.vhost }
    let thread: LWSServiceThread
    /// What every connection of this thread is read into, one after the other.
    @unsafe let readBuffer: UnsafeMutableRawBufferPointer
    /// The descriptors that lws polls, by their number.
    private var descriptors: [Int32: LWSDescriptor] = [:]
    private var openings: [UInt64: ClientOpening] = [:]
    private var connections: [UInt64: ConnectionDriver] = [:]
    private var listeners: [UInt64: ListenerDriver] = [:]
    /// Those who have delivered messages in this pass.
    private var reading: [ConnectionDriver] = []
    /// Those who have something to write at the end of this pass.
    private var writing: [ConnectionDriver] = []
    /// Those whose TLS holds bytes which poll(2) does not tell of.
    private var readingAgain: [any DescriptorOwner] = []
    private var mail = LWSServiceThread.Mail(commands: [], writable: [], jobs: [])
    /// Parts of tasks to be run, in order, and how many of them have been.
    private var jobs: [LWSServiceThread.Job] = []
    private var finishedJobs = 0
    private var isRunningJobs = false
    /// lws is running.
    private var isInService = false
    /// What is enqueued now is written when the pass ends.
    private var isInPass = false
    /// What waits until lws has returned.
    private var postponed: [() -> Void] = []
    private(set) var isStopping = false
    private var stopTimer: LWSTimer?
    private var isStopForced = false

    /// As much is read of one connection before the others get their turn.
    static let readBufferBytes = 65_536

    /// The key under which a service thread finds its context.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The context of the thread this is called on.
    static var current: LWSContext? {
        // Set by `init` and cleared by `end`, both on the thread that owns the context, so it is alive.
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<LWSContext>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Makes the context, on the thread that will serve it.
    static func make(thread: LWSServiceThread) -> Result<LWSContext, LWSProcess.Failure> {
        LWSProcess.takeContext().map { LWSContext($0, thread: thread) }
    }

    private init(_ raw: LWSRawContext, thread: LWSServiceThread) {
        self.raw = raw
        self.thread = thread
        unsafe readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
        // Not retained: the thread that the value belongs to holds this context until its function ends.
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Checks, in debug builds, that this is the service thread.
    func assertOnThread() {
        assert(LWSContext.current === self, "lws is called on its own service thread only")
    }

    // MARK: Serving

    /// Serves until everything is closed after a shut-down.
    ///
    /// The mailbox is emptied between two calls of lws: what a command makes or destroys is in nobody's hands then.
    /// Whatever is posted after that wakes the next call up.
    func run() {
        // Commands posted before the context existed had nobody to signal.
        drainMailbox()
        endPass()
        runJobs()
        while !(isStopping && (isStopForced || descriptors.isEmpty)) {
            isInPass = true
            isInService = true
            let status = unsafe lws_service(pointer, 0)
            isInService = false
            guard status >= 0 else { break }
            readAgain()
            endReads()
            drainMailbox()
            endPass()
            // Last: what the others resume is to run before lws waits again.
            runJobs()
        }
    }

    /// Runs when lws has returned; at once where it does not run.
    ///
    /// While lws goes along its table of descriptors, none is taken out of it, and no call is asked for.
    func afterService(_ action: @escaping () -> Void) {
        if isInService { postponed.append(action) } else { action() }
    }

    private func endPass() {
        isInPass = false
        writeAll()
        // What runs here may postpone nothing, as lws does not run.
        let actions = postponed
        postponed.removeAll(keepingCapacity: true)
        for action in actions { action() }
    }

    /// Ends whatever is left, and gives the lws context back.
    func end() {
        assertOnThread()
        stopTimer?.cancel()
        stopTimer = nil
        for listener in listeners.values { listener.stop() }
        for opening in openings.values { opening.abandon(because: Self.stopped) }
        for connection in connections.values { connection.eventLoopEnded() }
        for descriptor in Array(descriptors.values) {
            descriptor.owner?.closing()
            descriptor.close()
        }
        pthread_setspecific(Self.key, nil)
        unsafe readBuffer.deallocate()
        LWSProcess.leave(raw)
    }

    private static var stopped: WebSocketError {
        WebSocketError(.eventLoopsStopped, "The event loops are shut down.")
    }

    /// Carries out what was asked for. An empty mailbox is normal.
    private func drainMailbox() {
        assertOnThread()
        thread.takeMail(reusing: &mail)
        jobs.append(contentsOf: mail.jobs)
        for command in mail.commands { perform(command) }
        for connection in mail.writable { connections[connection]?.messagesWereMarked() }
    }

    private func perform(_ command: LWSServiceThread.Command) {
        switch command {
        case .dial(let request):
            guard !isStopping else { return Self.refuse(command) }
            ClientOpening.start(request, in: self)
        case .abandonDial(let id):
            openings[id]?.abandon(because: WebSocketError(.closing, "The dial was given up."))
        case .close(let id, let code, let reason, let deadline):
            connections[id]?.close(code: code, reason: reason, deadline: deadline)
        case .setReading(let id, let isReading):
            connections[id]?.setReading(isReading)
        case .listen(let request):
            guard !isStopping else { return Self.refuse(command) }
            listen(request)
        case .stopListening(let id, let completion):
            listeners.removeValue(forKey: id)?.stop()
            completion()
        case .shutDown(let deadline):
            if !isStopping { shutDown(deadline: deadline) }
        }
    }

    /// Answers a command that nobody will carry out.
    /// - Parameter failure: Why, when it is not that the event loops are shut down.
    static func refuse(_ command: LWSServiceThread.Command, because failure: WebSocketError? = nil) {
        let error = failure ?? stopped
        switch command {
        case .dial(let request): request.completion(.failure(error))
        case .listen(let request): request.completion(.failure(error))
        case .stopListening(_, let completion): completion()
        case .abandonDial, .close, .setReading, .shutDown: break
        }
    }

    /// Shuts down in this order: accept no more, give dials up, close connections with a handshake, and after the
    /// deadline close what is left without one.
    private func shutDown(deadline: Duration) {
        isStopping = true
        for listener in listeners.values { listener.stop() }
        listeners = [:]
        for opening in openings.values { opening.abandon(because: Self.stopped) }
        for connection in connections.values {
            connection.close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", deadline: deadline)
        }
        stopTimer = LWSTimer(context: self) { [unowned self] in isStopForced = true }
        // The connections' own deadlines come first; this is for one that does not end.
        stopTimer?.schedule(noLaterThan: MonotonicClock.now + (deadline + .seconds(1)).wholeNanoseconds)
    }

    // MARK: Tasks

    /// As many parts of tasks run before the connections get their turn again.
    private static let jobsPerTurn = 1024
    /// As many run before what they enqueued is written: the peer is to work on it while the others run.
    private static let jobsPerWrite = 64

    /// Runs the job when lws has returned.
    func enqueue(_ job: LWSServiceThread.Job) {
        jobs.append(job)
        if isInService, jobs.count == 1 { wakeUp() }
    }

    /// Runs parts of tasks, also those which are enqueued meanwhile.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        isRunningJobs = true
        while finishedJobs < min(jobs.count, Self.jobsPerTurn) {
            let job = jobs[finishedJobs]
            finishedJobs += 1
            job.run()
            if finishedJobs % Self.jobsPerWrite == 0 { writeAll() }
        }
        isRunningJobs = false
        writeAll()
        jobs.removeFirst(finishedJobs)
        finishedJobs = 0
        if !jobs.isEmpty { wakeUp() }
    }

    /// Has lws return at once from the next wait, or from this one.
    func wakeUp() { unsafe lws_cancel_service(pointer) }

    /// What has not run by the end of the thread.
    func takeJobs() -> [LWSServiceThread.Job] {
        defer {
            jobs = []
            finishedJobs = 0
        }
        return Array(jobs[finishedJobs...])
    }

    // MARK: Connections

    func connection(_ id: UInt64) -> ConnectionDriver? { connections[id] }

    func add(_ connection: ConnectionDriver) { connections[connection.id] = connection }

    func remove(_ connection: ConnectionDriver) { connections[connection.id] = nil }

    func add(_ opening: ClientOpening) { openings[opening.id] = opening }

    func remove(_ opening: ClientOpening) { openings[opening.id] = nil }

    /// Has lws poll a descriptor, which gets an owner before lws is called again. `nil` when it cannot: then the
    /// descriptor is the caller's still.
    func adopt(_ number: Int32) -> LWSDescriptor? {
        guard number < raw.descriptorLimit, let descriptor = LWSDescriptor(number, context: self) else { return nil }
        descriptors[number] = descriptor
        return descriptor
    }

    /// lws lets go of the descriptor.
    func forget(_ descriptor: LWSDescriptor) { descriptors[descriptor.number] = nil }

    /// The connection has delivered the first of the messages that it reads in this pass.
    func readBegan(_ connection: ConnectionDriver) { reading.append(connection) }

    private func endReads() {
        guard !reading.isEmpty else { return }
        for connection in reading { connection.endRead() }
        reading.removeAll(keepingCapacity: true)
    }

    /// Calls ``DescriptorOwner/readable()`` in the next pass, whatever poll(2) says.
    func readAgain(_ owner: any DescriptorOwner) {
        readingAgain.append(owner)
        wakeUp()
    }

    private func readAgain() {
        guard !readingAgain.isEmpty else { return }
        let owners = readingAgain
        readingAgain.removeAll(keepingCapacity: true)
        for owner in owners { owner.readable() }
    }

    /// Something was enqueued on this thread. All that is enqueued in one pass is written together at its end.
    func messagesEnqueued(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        if isInPass || isRunningJobs { writeLater(connection) } else { connection.write() }
    }

    /// Has the connection write at the end of this pass.
    func writeLater(_ connection: ConnectionDriver) {
        guard !connection.isInWriteList else { return }
        connection.isInWriteList = true
        writing.append(connection)
    }

    private func writeAll() {
        guard !writing.isEmpty else { return }
        // A write may have a handler enqueue, which is for the next round.
        let connections = writing
        writing.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isInWriteList = false
            connection.write()
        }
    }

    // MARK: Listeners

    private func listen(_ request: ListenRequest) {
        do {
            let listener = try ListenerDriver(context: self, request: request)
            listeners[request.id] = listener
            request.completion(.success(listener.port))
        } catch {
            request.completion(.failure(error))
        }
    }
}
