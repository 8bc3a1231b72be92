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
 * Sends commands to the state store and returns their replies. Implementations are safe
 * for use by several threads and never block.
 */
public interface CommandInvoker {

	/**
	 * Sends a command.
	 * @param command the command
	 * @param options the options of the call
	 * @return a future that completes with the reply, which is never a
	 * {@link Reply.Error}. It fails with a {@link StateStoreException}:
	 * {@link StateStoreInvalidRequestException}, {@link StateStoreNotSentException},
	 * {@link StateStoreOutcomeUnknownException}, or {@link StateStoreRefusedException}.
	 * It never completes on a network thread
	 */
	CompletableFuture<Response> invoke(Command command, Options options);

	/**
	 * Sends a command like {@link #invoke}, for a thread that waits for the reply. The
	 * future may complete on any thread, including a network thread, which saves a thread
	 * switch.
	 * @param command the command
	 * @param options the options of the call
	 * @return a future whose continuations must not block
	 */
	default CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return invoke(command, options);
	}

	/**
	 * Returns the limits of the calls sent with this invoker.
	 * @return the limits of the connection, by default {@link Limits#DEFAULT}
	 */
	default Limits limits() {
		return Limits.DEFAULT;
	}

	/**
	 * Returns the time by which the deadlines of the calls are measured.
	 * @return the time of the connection, by default {@link TimeSource#SYSTEM}
	 */
	default TimeSource time() {
		return TimeSource.SYSTEM;
	}

	/**
	 * Returns whether there is a connection to the store now.
	 * @return {@code false} during outages and before the first connection; always
	 * {@code true} by default
	 */
	default boolean isConnected() {
		return true;
	}

	/**
	 * Returns the broker that this invoker sends commands to, for watches.
	 * @return the broker, {@code null} by default
	 */
	default @Nullable Server server() {
		return null;
	}

	/**
	 * A broker.
	 *
	 * @param host name or address of the broker
	 * @param port port of the broker
	 */
	record Server(String host, int port) {
	}

	/**
	 * Limits of the calls of one connection.
	 *
	 * @param maxPending maximum number of calls that wait to be sent or for a reply.
	 * Further calls fail with {@link StateStoreNotSentException}
	 * @param timeout timeout of calls whose options have none
	 */
	record Limits(int maxPending, Duration timeout) {

		/** Default limits of a connection: 10,000 calls, and a timeout of 10 s. */
		public static final Limits DEFAULT = new Limits(10_000, Duration.ofSeconds(10));

	}

	/**
	 * A reply and its version.
	 *
	 * @param reply the reply, never a {@link Reply.Error}
	 * @param version version of the stored value or of the deletion; {@code null} if the
	 * reply has none (protocol section 1)
	 */
	record Response(Reply reply, @Nullable Version version) {
	}

	/**
	 * Options of a single call.
	 *
	 * @param fencingToken fencing token of a write, or {@code null}
	 * @param persistent whether the key of a SET must survive a restart of the server
	 * @param timeout timeout of this call, or {@code null} for that of the connection
	 * @param urgent whether this call overtakes ordinary calls that wait to be sent.
	 * Locks use such calls, whose number has a limit of its own
	 * @param traceContext trace context to pass on to the watchers of the key
	 */
	record Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout, boolean urgent,
			TraceContext traceContext) {

		/**
		 * Default options: not fenced, not persistent, not urgent, with the timeout of
		 * the connection.
		 */
		public static final Options DEFAULT = new Options(null, false, null);

		/**
		 * Creates options of a call that is not urgent.
		 * @param fencingToken fencing token of a write, or {@code null}
		 * @param persistent whether the key of a SET must survive a restart of the server
		 * @param timeout timeout of this call, or {@code null} for that of the connection
		 */
		public Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout) {
			this(fencingToken, persistent, timeout, false, TraceContext.EMPTY);
		}

		/**
		 * Returns a copy of these options for an urgent call.
		 * @return the copy
		 */
		public Options asUrgent() {
			return this.urgent ? this
					: new Options(this.fencingToken, this.persistent, this.timeout, true, this.traceContext);
		}

		/**
		 * Returns a copy of these options with a trace context.
		 * @param traceContext trace context to pass on to the watchers of the key
		 * @return the copy
		 */
		public Options withTraceContext(TraceContext traceContext) {
			return new Options(this.fencingToken, this.persistent, this.timeout, this.urgent, traceContext);
		}

	}

}
