package io.statestore.client.observability;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.Key;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * Observation context of a call. Its carrier holds the trace context fields that writes
 * pass on to listeners.
 */
public final class StateStoreCallContext extends SenderContext<Map<String, String>> {

	private final String command;

	private final @Nullable Key key;

	private final int keyCount;

	private final @Nullable Server server;

	private volatile boolean ended;

	/**
	 * Creates a context.
	 * @param command name of the command
	 * @param key key of the command, {@code null} if it does not have exactly one key
	 * @param keyCount number of keys, 0 for SCAN
	 * @param server the broker, {@code null} if unknown
	 */
	public StateStoreCallContext(String command, @Nullable Key key, int keyCount, @Nullable Server server) {
		super((carrier, name, value) -> {
			if (carrier != null) {
				carrier.put(name, value);
			}
		}, Kind.CLIENT);
		this.command = command;
		this.key = key;
		this.keyCount = keyCount;
		this.server = server;
		setCarrier(new HashMap<>());
		setRemoteServiceName("statestore");
		if (server != null) {
			String host = (server.host().indexOf(':') >= 0) ? '[' + server.host() + ']' : server.host();
			setRemoteServiceAddress("mqtt://" + host + ':' + server.port());
		}
	}

	/**
	 * Returns the command's name.
	 * @return {@code GET}, {@code SET}, {@code DEL}, {@code VDEL}, or {@code SCAN}
	 */
	public String command() {
		return this.command;
	}

	/**
	 * Returns the command's key.
	 * @return the key, {@code null} if the command does not have exactly one key
	 */
	public @Nullable Key key() {
		return this.key;
	}

	/**
	 * Returns the command's number of keys.
	 * @return the number, 0 for SCAN
	 */
	public int keyCount() {
		return this.keyCount;
	}

	/**
	 * Returns the address of the broker.
	 * @return the broker, {@code null} if unknown
	 */
	public @Nullable Server server() {
		return this.server;
	}

	/**
	 * Returns the value of the {@code outcome} key: {@code success} if the store has
	 * executed the command, even if a condition was not met or a key does not exist;
	 * {@code not-sent}, for example without a connection; {@code outcome-unknown} if
	 * there was no reply before the timeout or a disconnect; {@code refused} by the
	 * store; {@code invalid} if the command can never be sent; {@code lock-lost} if the
	 * lock that fences the write is no longer held; {@code canceled} if the application
	 * canceled the call's future or limited its time; {@code failed} after any other
	 * failure, for example in a value conversion.
	 * @return the outcome, {@code none} while the call is in flight
	 */
	public String outcome() {
		if (!this.ended) {
			return KeyValue.NONE_VALUE;
		}
		Throwable failure = getError();
		if (failure == null) {
			return "success";
		}
		if (failure instanceof StateStoreNotSentException) {
			return "not-sent";
		}
		if (failure instanceof StateStoreOutcomeUnknownException) {
			return "outcome-unknown";
		}
		if (failure instanceof StateStoreRefusedException) {
			return "refused";
		}
		if (failure instanceof StateStoreInvalidRequestException) {
			return "invalid";
		}
		if (failure instanceof LockLostException) {
			return "lock-lost";
		}
		return (failure instanceof CancellationException || failure instanceof TimeoutException) ? "canceled"
				: "failed";
	}

	/** Marks the call as ended, with its {@linkplain #getError() failure}, if any. */
	void end() {
		this.ended = true;
	}

}
