package io.statestore.broker.server;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.ChangeListener;
import io.statestore.broker.log.LogException;
import io.statestore.broker.session.SessionLog;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import io.statestore.protocol.ProtocolDialect;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state store as a server. It receives requests from a transport and replies through
 * each request's {@link ClientConnection}.
 * <p>
 * Thread-safe. Requests from one connection are executed in call order. A call usually
 * executes its request before it returns, unless the request is a SCAN, and may also
 * execute requests from concurrent callers. When a reply is passed to its connection, all
 * notifications of the change have already been passed to the watchers.
 * <p>
 * A request that cannot be answered has no effect and is acknowledged with a reason code
 * of 0x80 or above. If its response topic is forbidden, its connection is also closed.
 */
public final class StateStoreServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreServer.class);

	private final StateStoreServerCounters counters;

	private final KeyAccess access = new KeyAccess();

	private final StateStoreServerOptions options;

	private final LongSupplier nanoClock;

	private final @Nullable ScheduledExecutorService ownScheduler;

	private final SerialExecutor serial;

	private final ServingStore store;

	private final CompletableFuture<Error> failure = new CompletableFuture<>();

	private final AtomicBoolean failing = new AtomicBoolean();

	private volatile boolean closed;

	/** Whether this node no longer leads. Used within the serial executor. */
	private boolean deposed;

	/** Creates a server with the default options, which keeps its data in memory. */
	public StateStoreServer() {
		this(StateStoreServerOptions.defaults());
	}

	/**
	 * Creates a server. With a directory, recovers its data first, which may take a
	 * while.
	 * @param options the options, optionally with a directory
	 * @throws LogException if the directory cannot be used, its data is damaged, or the
	 * start entry cannot be written to it. The message explains how to fix the problem
	 */
	public StateStoreServer(StateStoreServerOptions options) {
		this(options, ServerTuning.ofThisJvm());
	}

	/**
	 * Creates a server.
	 * @param tuning sizes that only tests change
	 */
	StateStoreServer(StateStoreServerOptions options, ServerTuning tuning) {
		this.nanoClock = options.nanoClock();
		this.counters = new StateStoreServerCounters();
		ScheduledExecutorService given = options.scheduler();
		ScheduledExecutorService scheduler = (given != null) ? given : newScheduler();
		this.options = options.withScheduler(scheduler);
		this.ownScheduler = (given == null) ? scheduler : null;
		this.serial = new SerialExecutor(scheduler, this::fail);
		try {
			this.store = open(tuning, new LocalStore(this.options, tuning, this.serial, this::fail)::open);
		}
		catch (RuntimeException | Error ex) {
			if (this.ownScheduler != null) {
				this.ownScheduler.shutdownNow();
			}
			throw ex;
		}
		this.serial.execute(this.store::batchFinished);
	}

	/**
	 * Creates a server for a store whose executors belong to another object. Called
	 * within the serial executor.
	 * @param options options with a scheduler
	 * @param serial the serial executor
	 * @param counters the store's counters
	 * @param opener opens the store
	 */
	StateStoreServer(StateStoreServerOptions options, ServerTuning tuning, SerialExecutor serial,
			StateStoreServerCounters counters, BiFunction<ChangeListener, Runnable, OpenedStore> opener) {
		this.options = options;
		this.nanoClock = options.nanoClock();
		this.counters = counters;
		this.ownScheduler = null;
		this.serial = serial;
		this.store = open(tuning, opener);
		this.store.batchFinished();
	}

	private ServingStore open(ServerTuning tuning, BiFunction<ChangeListener, Runnable, OpenedStore> opener) {
		return new ServingStore(this.options, tuning, opener, this.serial, this.counters, this.access,
				() -> this.closed);
	}

	/** Returns a scheduler with one daemon thread. */
	static ScheduledExecutorService newScheduler() {
		ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-expiry");
			thread.setDaemon(true);
			return thread;
		});
		scheduler.setRemoveOnCancelPolicy(true);
		return scheduler;
	}

	/**
	 * Handles a new connection. Must be called before its first request.
	 * @param connection the connection
	 */
	public void connected(ClientConnection connection) {
		this.serial.execute(() -> this.store.connected(connection));
	}

	/**
	 * Handles the end of a connection, which ends its watches (protocol section 6). Must
	 * be called after its last request. A new connection with the same client id may
	 * already exist.
	 * @param connection the connection that has ended
	 */
	public void disconnected(ClientConnection connection) {
		this.serial.execute(() -> this.store.disconnected(connection));
	}

	/**
	 * Ensures that all later versions are greater than those issued by an earlier server
	 * for the same store. Must be called before the first request.
	 * @param last the greatest version that may have been issued
	 */
	public void startAfter(Version last) {
		this.serial.execute(() -> this.store.startAfter(last));
	}

	/**
	 * Returns how many requests were denied and how many watches ended because the client
	 * lacked permission.
	 * @return the total number since startup
	 */
	public long deniedRequests() {
		return this.access.denials();
	}

	/**
	 * Returns how many requests for a new key were refused because their principals had
	 * created too many keys.
	 * @return the number since startup
	 */
	public long refusedKeysOfPrincipals() {
		return this.counters.refusedKeys();
	}

	/**
	 * Resumes a watch that a client started on an earlier server for the same store. The
	 * client is notified of the key's current value or of its deletion. If there is not
	 * enough memory, the watch ends.
	 * @param connection the client's connection, see {@link #connected}
	 * @param key the watched key
	 */
	public void resume(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> this.store.resume(connection, key));
	}

	/**
	 * Notifies a watcher of a key's current value or of its deletion, in place of
	 * notifications that the transport has not sent. Has no effect if the client does not
	 * watch the key.
	 * @param connection the client's connection
	 * @param key the watched key
	 */
	public void renotify(ClientConnection connection, Bytes key) {
		this.serial.execute(() -> this.store.renotify(connection, key));
	}

	/**
	 * Handles a request.
	 * @param request the message that a client published to the request topic
	 */
	public void request(IncomingRequest request) {
		long arrival = this.nanoClock.getAsLong();
		// Decoded here, outside the serial executor.
		Call decoded = Call.of(request, this.options.protocolDialect());
		this.counters.countRequest(decoded);
		Call call = (decoded != null) ? this.access.check(decoded) : null;
		this.serial.execute(() -> handle(request, call, arrival), () -> Call.isScan(call));
	}

	/**
	 * Handles an administration request, which is a project-specific extension. An answer
	 * takes about a millisecond at most, regardless of the number of keys and clients.
	 * @param request the message that a client published to the administration topic
	 * @param authorized whether the client may administer the server; if not, the request
	 * is refused
	 */
	public void administer(IncomingRequest request, boolean authorized) {
		administer(request, authorized, null, null);
	}

	/**
	 * Handles an administration request, see
	 * {@link #administer(IncomingRequest, boolean)}.
	 * @param request the message that a client published to the administration topic
	 * @param authorized whether the client may administer the server
	 * @param cluster this server's cluster, to which requests are answered later, or
	 * {@code null} if this server is not a cluster node
	 * @param sessions this server's MQTT sessions, requests for which are also answered
	 * later, or {@code null} if it has none
	 */
	public void administer(IncomingRequest request, boolean authorized, @Nullable ClusterOperations cluster,
			@Nullable SessionOperations sessions) {
		long arrival = this.nanoClock.getAsLong();
		AdministrationCall call = AdministrationCall.of(request, authorized);
		if (!authorized && (call == null || call.query() == null)) {
			this.access.deniedAdministration(request.connection());
		}
		this.serial.execute(() -> {
			if (this.closed) {
				refuse(request);
			}
			else {
				this.store.administer(request, call, this.nanoClock.getAsLong() - arrival, cluster, sessions);
			}
		}, () -> true);
	}

	/**
	 * Stops serving because of an error, such as exhausted memory, after which the state
	 * of the store may be inconsistent. Later requests have no effect and no reply. Only
	 * the first call has an effect.
	 * @param error the reason
	 */
	public void fail(Error error) {
		this.closed = true;
		if (this.failing.compareAndSet(false, true)) {
			report(error);
			logger.error("The state store has stopped because of an error. If it ran out of memory, raise the heap "
					+ "(-Xmx) or lower the store's limits. If its log failed, check the disk. Then restart the "
					+ "store", error);
		}
	}

	/**
	 * Completes the failure future on another thread. Its dependents may close this
	 * server, which waits for threads that may have failed.
	 */
	private void report(Error error) {
		try {
			Thread thread = new Thread(() -> this.failure.complete(error), "statestore-failure");
			thread.setDaemon(true);
			thread.start();
		}
		catch (Error ex) {
			// Too little memory may be left to start a thread.
			this.failure.complete(error);
		}
	}

	/**
	 * Returns a future that completes with the error that made this server stop. It
	 * completes on a separate thread, on which this server can be closed.
	 * @return a copy of the future; never completes if there is no error
	 */
	public CompletableFuture<Error> failure() {
		return this.failure.copy();
	}

	/**
	 * Returns the protocol dialect of this server.
	 * @return the dialect in which requests are decoded and replies encoded
	 */
	public ProtocolDialect protocolDialect() {
		return this.options.protocolDialect();
	}

	/**
	 * Returns statistics on the store's content and its requests so far. Never blocks,
	 * even after an error.
	 * @return a snapshot
	 */
	public StoreStatistics statistics() {
		return this.counters.statistics(this.options.quota(), this.options.replyMemory());
	}

	/**
	 * Returns the state of the command log in the directory. Never blocks, even after an
	 * error.
	 * @return a snapshot, empty if the data is kept in memory only
	 */
	public Optional<DurabilityStatistics> durability() {
		return this.store.durability();
	}

	/**
	 * Returns the MQTT session log, which keeps sessions in the directory or on all
	 * cluster nodes. After an error, or once this server is closed, the log has no effect
	 * and might not call back.
	 * @return the log, {@code null} if sessions are not kept there
	 */
	public @Nullable SessionLog sessionLog() {
		return this.store.sessionLog();
	}

	/**
	 * Stops the server. Keys no longer expire, and later requests have no effect.
	 * Requests already executing on other threads complete. Waits up to ten seconds until
	 * all changes are in the directory. If the disk takes longer, the directory stays in
	 * use until the disk responds.
	 */
	@Override
	public void close() {
		boolean served = !this.closed;
		this.closed = true;
		this.serial.execute(() -> this.store.end(served));
		this.store.close();
		if (this.ownScheduler != null) {
			this.ownScheduler.shutdown();
		}
	}

	/**
	 * Begins to lead a cluster. Called within the serial executor.
	 * @param timer schedules retries of appending the start
	 * @param ready called once the start is applied
	 */
	void lead(RetryTimer timer, Runnable ready) {
		this.store.lead(timer, ready);
	}

	/**
	 * Called within the serial executor after another server's entries have been applied.
	 */
	void applied() {
		this.store.batchFinished();
	}

	/**
	 * Ends this server together with the leadership. Waiting requests get no reply,
	 * because their outcome is unknown. Neither do later requests, whose connections are
	 * about to end. Called within the serial executor.
	 */
	void depose() {
		this.deposed = true;
		this.closed = true;
		this.store.end(false);
	}

	private void handle(IncomingRequest request, @Nullable Call call, long arrival) {
		if (this.closed) {
			refuse(request);
			return;
		}
		this.store.handle(request, call, arrival, this.nanoClock.getAsLong());
	}

	/**
	 * Refuses a request. Does not respond if this node no longer leads, because the
	 * client will repeat the request on the next leader.
	 */
	private void refuse(IncomingRequest request) {
		if (!this.deposed) {
			RequestHandler.acknowledge(request, ReasonCodes.IMPLEMENTATION_SPECIFIC);
		}
	}

}
