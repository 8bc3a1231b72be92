package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.TraceContext;
import io.statestore.protocol.Version;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to the state store and returns their replies. Implementations are
 * thread-safe and never block.
 */
public interface CommandInvoker {

	/**
	 * Sends a command.
	 * @param command the command
	 * @param options timeout, fencing token, and other options of the call
	 * @return a future that completes with the reply, which is never a
	 * {@link Reply.Error}. It fails with a {@link StateStoreException}:
	 * {@link StateStoreInvalidRequestException}, {@link StateStoreNotSentException},
	 * {@link StateStoreOutcomeUnknownException}, or {@link StateStoreRefusedException}.
	 * It never completes on a network thread
	 */
	CompletableFuture<Response> invoke(Command command, Options options);

	/**
	 * Sends a command like {@link #invoke}, for callers that wait for the reply. The
	 * future may complete on any thread, including a network thread, which saves a thread
	 * switch.
	 * @param command the command
	 * @param options timeout, fencing token, and other options of the call
	 * @return a future whose continuations must not block
	 */
	default CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return invoke(command, options);
	}

	/**
	 * Returns the limits for calls sent with this invoker.
	 * @return the limits of the connection, by default {@link Limits#DEFAULT}
	 */
	default Limits limits() {
		return Limits.DEFAULT;
	}

	/**
	 * Returns the time source for call deadlines.
	 * @return the connection's time source, by default {@link TimeSource#SYSTEM}
	 */
	default TimeSource time() {
		return TimeSource.SYSTEM;
	}

	/**
	 * Returns whether this invoker is currently connected to the store.
	 * @return {@code false} during outages and before the first connection; always
	 * {@code true} by default
	 */
	default boolean isConnected() {
		return true;
	}

	/**
	 * Returns the broker that this invoker sends commands to. Watches use it.
	 * @return the broker, {@code null} if it is not known, the default
	 */
	default @Nullable Server server() {
		return null;
	}

	/**
	 * Address of a broker.
	 *
	 * @param host host name or IP address
	 * @param port TCP port
	 */
	record Server(String host, int port) {
	}

	/**
	 * Limits for calls on one connection.
	 *
	 * @param maxPending maximum number of calls that may wait to be sent or for a reply;
	 * additional calls fail with {@link StateStoreNotSentException}
	 * @param timeout timeout of calls whose options do not set one
	 */
	record Limits(int maxPending, Duration timeout) {

		/** Default limits: 10,000 calls and a timeout of 10 s. */
		public static final Limits DEFAULT = new Limits(10_000, Duration.ofSeconds(10));

	}

	/**
	 * A reply and its version.
	 *
	 * @param reply the reply, never a {@link Reply.Error}
	 * @param version version of the stored value or of the deletion; {@code null} if the
	 * reply does not include one (protocol section 1)
	 */
	record Response(Reply reply, @Nullable Version version) {
	}

	/**
	 * Options of a single call.
	 *
	 * @param fencingToken fencing token of a write, {@code null} for none
	 * @param persistent whether the key of a SET must survive a server restart
	 * @param timeout timeout of this call, {@code null} for the connection's timeout
	 * @param urgent whether this call overtakes ordinary calls that wait to be sent.
	 * Locks use urgent calls; their number is limited separately
	 * @param traceContext trace context to pass on to the key's watchers
	 */
	record Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout, boolean urgent,
			TraceContext traceContext) {

		/**
		 * Default options: not fenced, not persistent, not urgent, with the connection's
		 * timeout.
		 */
		public static final Options DEFAULT = new Options(null, false, null);

		/**
		 * Creates options for a call that is not urgent.
		 * @param fencingToken fencing token of a write, {@code null} for none
		 * @param persistent whether the key of a SET must survive a server restart
		 * @param timeout timeout of this call, {@code null} for the connection's timeout
		 */
		public Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout) {
			this(fencingToken, persistent, timeout, false, TraceContext.EMPTY);
		}

		/**
		 * Returns a copy of these options that makes the call urgent.
		 * @return the copy
		 */
		public Options asUrgent() {
			return this.urgent ? this
					: new Options(this.fencingToken, this.persistent, this.timeout, true, this.traceContext);
		}

		/**
		 * Returns a copy of these options with a trace context.
		 * @param traceContext trace context to pass on to the key's watchers
		 * @return the copy
		 */
		public Options withTraceContext(TraceContext traceContext) {
			return new Options(this.fencingToken, this.persistent, this.timeout, this.urgent, traceContext);
		}

	}

}
