package io.statestore.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Sends one command to the state store and brings back its reply. Safe for use by several
 * threads; never blocks.
 */
public interface CommandInvoker {

	/**
	 * Sends a command.
	 * @param command the command
	 * @param options the options of the call
	 * @return completed with the reply, which is never a {@link Reply.Error}, or with a
	 * {@link StateStoreException}: {@link StateStoreInvalidRequestException},
	 * {@link StateStoreNotSentException}, {@link StateStoreOutcomeUnknownException} or
	 * {@link StateStoreRefusedException}. Never completed on a network thread.
	 */
	CompletableFuture<Response> invoke(Command command, Options options);

	/**
	 * Sends a command like {@link #invoke}, for a caller that only waits. The future may
	 * complete on any thread, including a network thread, so the reply reaches the
	 * waiting thread without passing another one.
	 * @return a future to wait for or to cancel only, or with continuations that never
	 * block
	 */
	default CompletableFuture<Response> invokeForWaiter(Command command, Options options) {
		return invoke(command, options);
	}

	/**
	 * Returns the limits of the calls sent with this invoker.
	 * @return those of the connection, {@link Limits#DEFAULT} where it is unknown
	 */
	default Limits limits() {
		return Limits.DEFAULT;
	}

	/**
	 * Limits of the calls of one connection.
	 *
	 * @param maxPending maximum number of calls that wait for room or for a reply; one
	 * more fails with {@link StateStoreNotSentException}
	 * @param timeout timeout of calls whose options have none
	 */
	record Limits(int maxPending, Duration timeout) {

		/** Default limits of a connection: 10,000 calls and 10 s. */
		public static final Limits DEFAULT = new Limits(10_000, Duration.ofSeconds(10));

	}

	/**
	 * A reply and the version that came with it.
	 *
	 * @param version of the stored value or of the deletion; {@code null} where the
	 * protocol has none (protocol section 1)
	 */
	record Response(Reply reply, @Nullable Version version) {
	}

	/**
	 * Options of a single call.
	 *
	 * @param fencingToken the token a write is fenced by, or {@code null}
	 * @param persistent whether the key of a SET must survive a restart of the broker
	 * @param timeout the deadline of this call, {@code null} for that of the connection
	 * @param urgent whether this call overtakes ordinary calls that wait to be sent.
	 * Locks are kept with such calls; their number is limited apart from that of ordinary
	 * calls
	 */
	record Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout,
			boolean urgent) {

		/** Not fenced, not persistent, with the usual timeout, not urgent. */
		public static final Options DEFAULT = new Options(null, false, null);

		/**
		 * Creates options of a call that is not urgent.
		 * @param fencingToken the token a write is fenced by, or {@code null}
		 * @param persistent whether the key of a SET must survive a restart of the broker
		 * @param timeout the deadline of this call, {@code null} for that of the
		 * connection
		 */
		public Options(@Nullable FencingToken fencingToken, boolean persistent, @Nullable Duration timeout) {
			this(fencingToken, persistent, timeout, false);
		}

		/**
		 * Returns the same options for an urgent call.
		 * @return these options, marked as urgent
		 */
		public Options asUrgent() {
			return this.urgent ? this : new Options(this.fencingToken, this.persistent, this.timeout, true);
		}

	}

}
