// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A service thread's lws context, its vhosts, and the sessions on it. It never leaves its thread.
@safe final class LWSContext {
    /// lws reads and buffers this much for each connection: a frame of at most this size comes in one piece.
    static let receiveBufferBytes = 16_384

    /// Where lws builds the request of the opening handshake.
    static let serviceBufferBytes = 32_768

    @unsafe let pointer: OpaquePointer
    let thread: LWSServiceThread
    private var sessions: [UInt64: LWSSession] = [:]
    /// All whose vhosts exist, also those that are stopped.
    private var listeners: [LWSListener] = []
    /// What waits until a stopped listener's vhost is gone.
    private var waitingForPort: [ListenRequest] = []
    /// Who has delivered messages in this pass.
    private var reading: [LWSSession] = []
    private var mail = LWSServiceThread.Mail(commands: [], writable: [], jobs: [])
    /// Parts of tasks to be run, in order, and how many of them have been.
    private var jobs: [LWSServiceThread.Job] = []
    private var finishedJobs = 0
    private var isRunningJobs = false
    private var isInService = false
    /// Connections for which a job has enqueued something.
    private var writable: [UInt64] = []
    private var isStopping = false
    private var stopTimer: LWSTimer?
    private var isStopForced = false
    /// Counts the calls of `lws_service`, each of which polls once and reads each readable socket once.
    private(set) var pass: UInt64 = 0
    /// The vhosts that dial, by whether they offer permessage-deflate.
    @unsafe private var clientVhosts: [Bool: OpaquePointer] = unsafe [:]
    /// What the listener that is being made needs for TLS.
    var serverInTheMaking: TLSServer?
    /// Both times 0: lws's own keepalive stays off (it would end a connection that never sends a PONG).
    @unsafe let noValidityChecks: UnsafeMutablePointer<lws_retry_bo_t>

    /// The key under which a service thread finds its context.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The context of the thread this is called on.
    static var current: LWSContext? {
        // Set by `init` and cleared by `destroy`, both on the thread that owns the context, so it is alive.
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<LWSContext>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Why there is no context: an `errno`, or 0 where none is known.
    struct Failure: Error {
        var code: Int32
    }

    /// Makes the context, on the thread that will serve it.
    static func make(thread: LWSServiceThread) -> Result<LWSContext, Failure> {
        guard let context = LWSContext(thread: thread) else { return .failure(Failure(code: errno)) }
        // lws tells of a wake-up by calling each vhost's protocols: without a vhost, it could not be woken.
        guard unsafe context.clientVhost(offersDeflate: false) != nil else {
            context.destroy()
            return .failure(Failure(code: 0))
        }
        return .success(context)
    }

    /// Nil when lws makes none; `errno` may say why.
    private init?(thread: LWSServiceThread) {
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.pt_serv_buf_size = UInt32(Self.serviceBufferBytes)
        unsafe info.max_http_header_data2 = 16_384
        unsafe info.max_http_header_pool2 = 0
        // Longer than any time-out of ours: our own timers count.
        unsafe info.timeout_secs = 86_400
        guard let pointer = unsafe LWSProcess.makeContext(&info) else { return nil }
        unsafe self.pointer = unsafe pointer
        self.thread = thread
        unsafe noValidityChecks = .allocate(capacity: 1)
        unsafe noValidityChecks.initialize(to: lws_retry_bo_t())
        // Not retained: the thread that the value belongs to holds this context until its function ends.
        unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The vhost to dial with: what TLS needs is set on each connection by itself.
    @unsafe func clientVhost(offersDeflate: Bool) -> OpaquePointer? {
        if let vhost = unsafe clientVhosts[offersDeflate] { return unsafe vhost }
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        let memory = LWSVhostMemory(subprotocols: [])
        unsafe memory.keep(with: &info)
        unsafe info.protocols = UnsafePointer(memory.protocols)
        unsafe info.retry_and_idle_policy = UnsafePointer(noValidityChecks)
        unsafe info.connect_timeout_secs = 86_400
        unsafe info.options = CLWS_OPTION_DO_SSL_GLOBAL_INIT
        unsafe info.provided_client_ssl_ctx = TLSClient.context
        if offersDeflate { unsafe info.extensions = LWSExtensions.deflate.pointer }
        unsafe info.http_proxy_address = UnsafePointer(memory.string(""))
        unsafe info.vhost_name = UnsafePointer(memory.string(offersDeflate ? "client-deflate" : "client"))
        let vhost = unsafe lws_create_vhost(pointer, &info)
        unsafe clientVhosts[offersDeflate] = vhost
        return unsafe vhost
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
        runJobs()
        while !(isStopping && (isStopForced || sessions.isEmpty)) {
            pass &+= 1
            isInService = true
            let status = unsafe lws_service(pointer, 0)
            isInService = false
            guard status >= 0 else { break }
            endReads()
            drainMailbox()
            destroyUnusedListeners()
            // Last: what the others resume is to run before lws waits again.
            runJobs()
        }
    }

    /// Destroys the context. Sessions that are left are told of their end first: lws is not to call them back while
    /// the process-wide lock is held.
    func destroy() {
        assertOnThread()
        stopTimer?.cancel()
        stopTimer = nil
        for listener in listeners { listener.leave() }
        listeners = []
        for request in waitingForPort { Self.refuse(.listen(request)) }
        waitingForPort = []
        for session in Array(sessions.values) { session.leave() }
        unsafe LWSProcess.destroyContext(pointer)
        pthread_setspecific(Self.key, nil)
        unsafe noValidityChecks.deallocate()
    }

    /// Carries out what was asked for. An empty mailbox is normal.
    private func drainMailbox() {
        assertOnThread()
        thread.takeMail(reusing: &mail)
        jobs.append(contentsOf: mail.jobs)
        for command in mail.commands { perform(command) }
        for connection in mail.writable { sessions[connection]?.messagesWereMarked() }
    }

    private func perform(_ command: LWSServiceThread.Command) {
        guard !isStopping else { return performWhileStopping(command) }
        switch command {
        case .dial(let request):
            let session = LWSSession(context: self, dialling: request)
            sessions[session.id] = session
            session.startDialling()
        case .abandonDial(let id):
            sessions[id]?.abandonDial()
        case .close(let id, let code, let reason, let deadline):
            sessions[id]?.close(code: code, reason: reason, deadline: deadline)
        case .setReading(let id, let isReading):
            sessions[id]?.setReading(isReading)
        case .listen(let request):
            listen(request)
        case .stopListening(let id, let completion):
            listeners.first { $0.id == id && !$0.isStopped }?.stop()
            completion()
        case .shutDown(let deadline):
            shutDown(deadline: deadline)
        }
    }

    private func performWhileStopping(_ command: LWSServiceThread.Command) {
        switch command {
        case .dial, .listen, .stopListening: Self.refuse(command)
        case .abandonDial(let id): sessions[id]?.abandonDial()
        case .close(let id, let code, let reason, let deadline):
            sessions[id]?.close(code: code, reason: reason, deadline: deadline)
        case .setReading(let id, let isReading): sessions[id]?.setReading(isReading)
        case .shutDown: break
        }
    }

    /// Answers a command that nobody will carry out.
    /// - Parameter failure: Why, when it is not that the event loops are shut down.
    static func refuse(_ command: LWSServiceThread.Command, because failure: WebSocketError? = nil) {
        let error = failure ?? WebSocketError(.eventLoopsStopped, "The event loops are shut down.")
        switch command {
        case .dial(let request): request.completion(.failure(error))
        case .listen(let request): request.completion(.failure(error))
        case .stopListening(_, let completion): completion()
        case .abandonDial, .close, .setReading, .shutDown: break
        }
    }

    /// Shuts down in this order: accept no more, give dials up, close connections with a handshake, and after the
    /// deadline close what is left without one. The listeners' sockets go with the context.
    private func shutDown(deadline: Duration) {
        isStopping = true
        for listener in listeners { listener.stop() }
        for session in Array(sessions.values) { session.eventLoopStops(deadline: deadline) }
        stopTimer = LWSTimer(context: self) { [unowned self] in isStopForced = true }
        // The sessions' own deadlines come first; this is for one that lws does not let go.
        stopTimer?.schedule(after: deadline + .seconds(1))
    }

    // MARK: Tasks

    /// As many parts of tasks run before the connections get their turn again.
    private static let jobsPerTurn = 1024
    /// As many run before what they enqueued is written: the peer is to work on it while the others run.
    private static let jobsPerWrite = 64

    /// Runs the job when lws has returned.
    func enqueue(_ job: LWSServiceThread.Job) {
        jobs.append(job)
        // lws calls timers back before it waits for sockets: it must not wait then.
        if isInService, jobs.count == 1 { unsafe lws_cancel_service(pointer) }
    }

    /// Runs parts of tasks, also those which are enqueued meanwhile.
    private func runJobs() {
        guard !jobs.isEmpty else { return }
        isRunningJobs = true
        while finishedJobs < min(jobs.count, Self.jobsPerTurn) {
            let job = jobs[finishedJobs]
            finishedJobs += 1
            job.run()
            if finishedJobs % Self.jobsPerWrite == 0 { writeForJobs() }
        }
        isRunningJobs = false
        writeForJobs()
        jobs.removeFirst(finishedJobs)
        finishedJobs = 0
        // So that lws does not wait for sockets.
        if !jobs.isEmpty { unsafe lws_cancel_service(pointer) }
    }

    private func writeForJobs() {
        for connection in writable { sessions[connection]?.messagesWereMarked() }
        writable.removeAll(keepingCapacity: true)
    }

    /// What has not run by the end of the thread.
    func takeJobs() -> [LWSServiceThread.Job] {
        defer {
            jobs = []
            finishedJobs = 0
        }
        return Array(jobs[finishedJobs...])
    }

    // MARK: Sessions

    func session(_ id: UInt64) -> LWSSession? { sessions[id] }

    func add(_ session: LWSSession) { sessions[session.id] = session }

    func remove(_ session: LWSSession) { sessions[session.id] = nil }

    /// The session has delivered the first of the messages that it reads in this pass.
    func readBegan(_ session: LWSSession) { reading.append(session) }

    private func endReads() {
        guard !reading.isEmpty else { return }
        for session in reading { session.endRead() }
        reading.removeAll(keepingCapacity: true)
    }

    /// Something was enqueued on this thread.
    func messagesEnqueued(_ connection: UInt64) {
        if isRunningJobs { return writable.append(connection) }
        sessions[connection]?.messagesWereEnqueuedHere()
    }

    // MARK: Listeners

    /// The listener whose vhost this is.
    @unsafe func listener(of vhost: OpaquePointer?) -> LWSListener? {
        listeners.first { unsafe $0.vhost == vhost }
    }

    /// Of two vhosts with one port lws gives each request to the first, whichever it came to and at whichever address,
    /// and loses count of what it has bound to them: so there are never two, also not when one of them is stopped.
    private func listen(_ request: ListenRequest) {
        if let other = listeners.first(where: { $0.isInTheWay(of: request.address) }) {
            guard other.isStopped, !other.hasConnections else {
                let text =
                    "A listener with the port or path of \(request.address), or a connection that it accepted, is on "
                    + "this event loop."
                return request.completion(
                    .failure(WebSocketError(.listenFailed, text, systemError: EADDRINUSE)))
            }
            return waitingForPort.append(request)
        }
        while true {
            let listener: LWSListener
            do {
                listener = try LWSListener(context: self, request: request)
            } catch {
                return request.completion(.failure(error))
            }
            let hasPortOfAnother = listeners.contains { $0.isInTheWay(of: listener.boundAddress) }
            listeners.append(listener)
            guard hasPortOfAnother else { return request.completion(.success(listener.port)) }
            // The system chose the port of one that is stopped and still has connections.
            listener.stop()
        }
    }

    /// Called when lws has returned: what it calls back from may be about to use the vhost, or walk along all of them.
    private func destroyUnusedListeners() {
        guard listeners.contains(where: \.isUnused) else { return }
        for listener in listeners where listener.isUnused { listener.destroyVhost() }
        listeners.removeAll(where: \.isUnused)
        let waiting = waitingForPort
        waitingForPort = []
        for request in waiting { listen(request) }
    }
}
