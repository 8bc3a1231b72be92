package io.statestore.broker.server;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.StateStoreEngine;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state store as a server: takes requests from a transport and answers through the
 * {@link ClientConnection} they came from.
 * <p>
 * Safe for use by several threads; the requests of one connection are executed in the
 * order of the calls. A call usually does its work itself, before it returns, and perhaps
 * that of others who called meanwhile. When the reply to a request is given to the
 * connection, every notification of its change has been given to the observers.
 * <p>
 * A request that cannot be answered has no effect and is acknowledged with a reason code
 * of 0x80 or above; one with a forbidden response topic ends its connection, too.
 */
public final class StateStoreServer implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(StateStoreServer.class);

	private final StateStoreServerCounters counters = new StateStoreServerCounters();

	private final LongSupplier nanoClock;

	private final @Nullable ScheduledExecutorService ownScheduler;

	private final SerialExecutor serial;

	private final RequestHandler handler;

	private final ExpiryTimer expiryTimer;

	private volatile boolean closed;

	/** A server with the default options. */
	public StateStoreServer() {
		this(StateStoreServerOptions.defaults());
	}

	public StateStoreServer(StateStoreServerOptions options) {
		this.nanoClock = options.nanoClock();
		ScheduledExecutorService given = options.scheduler();
		ScheduledExecutorService scheduler = (given != null) ? given : newScheduler();
		this.ownScheduler = (given == null) ? scheduler : null;
		Messages messages = new Messages(options.wireForm());
		StateStoreEngine<ClientConnection> engine = new StateStoreEngine<>(options.wallClock(), options.nanoClock(),
				options.quota(), messages);
		this.handler = new RequestHandler(engine, messages, options.nanoClock(), this.counters);
		this.serial = new SerialExecutor(scheduler);
		this.expiryTimer = new ExpiryTimer(engine, this.serial, scheduler);
	}

	private static ScheduledExecutorService newScheduler() {
		ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "statestore-expiry");
			thread.setDaemon(true);
			return thread;
		});
		scheduler.setRemoveOnCancelPolicy(true);
		return scheduler;
	}

	/** A client has connected. Comes before its first request. */
	public void connected(ClientConnection connection) {
		this.serial.execute(() -> this.handler.connected(connection));
	}

	/**
	 * A connection has ended, for whatever reason: its observations end with it (protocol
	 * section 6). Comes after its last request, also when a new connection with the same
	 * client id is there already.
	 */
	public void disconnected(ClientConnection connection) {
		this.serial.execute(() -> this.handler.disconnected(connection));
	}

	/** A client has published to the request topic. */
	public void request(IncomingRequest request) {
		long arrival = this.nanoClock.getAsLong();
		this.counters.countRequest();
		// Reading it here keeps it out of the part that only one can do at a time.
		Call call = Call.of(request);
		this.serial.execute(() -> handle(request, call, arrival));
	}

	/** What this server has seen. */
	public StateStoreServerCounters counters() {
		return this.counters;
	}

	/**
	 * Stop: no key expires any more, and later requests have no effect. Requests that
	 * other threads are executing at this moment are finished.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.serial.execute(this.expiryTimer::close);
		if (this.ownScheduler != null) {
			this.ownScheduler.shutdown();
		}
	}

	private void handle(IncomingRequest request, @Nullable Call call, long arrival) {
		int reasonCode = ReasonCodes.UNSPECIFIED;
		try {
			reasonCode = this.closed ? ReasonCodes.IMPLEMENTATION_SPECIFIC
					: this.handler.handle(request, call, this.nanoClock.getAsLong() - arrival);
		}
		catch (RuntimeException ex) {
			logger.error("A request of client '{}' failed", request.connection().clientId(), ex);
		}
		if (!this.closed) {
			this.expiryTimer.update();
		}
		acknowledge(request, reasonCode);
	}

	private static void acknowledge(IncomingRequest request, int reasonCode) {
		try {
			// First: a request that is not acknowledged would come again with the next
			// connection, and end that one, too.
			request.acknowledgement().acknowledge(reasonCode);
		}
		finally {
			if (reasonCode == ReasonCodes.TOPIC_NAME_INVALID) {
				request.connection()
					.disconnect(ReasonCodes.PROTOCOL_ERROR, "The response topic of a request is not allowed");
			}
		}
	}

}
