package io.statestore.client.observability;

import java.util.HashMap;
import java.util.Map;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.statestore.client.CommandInvoker.Server;
import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a call. Its carrier holds the fields of the trace
 * context, which writes pass on to listeners.
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
	 * @param key key of the command, {@code null} if it has none or several
	 * @param keyCount number of keys of the command
	 * @param server the broker, or {@code null} if unknown
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
	 * Returns the name of the command.
	 * @return {@code GET}, {@code SET}, {@code DEL}, {@code VDEL}, or {@code SCAN}
	 */
	public String command() {
		return this.command;
	}

	/**
	 * Returns the key of the command.
	 * @return the key, {@code null} if the command has none or several
	 */
	public @Nullable Key key() {
		return this.key;
	}

	/**
	 * Returns the number of keys of the command.
	 * @return the number, 0 for SCAN
	 */
	public int keyCount() {
		return this.keyCount;
	}

	/**
	 * Returns the broker.
	 * @return the broker, or {@code null} if unknown
	 */
	public @Nullable Server server() {
		return this.server;
	}

	/**
	 * Returns the outcome of the call.
	 * @return the value of the key {@code outcome}, {@code none} while the call is in
	 * flight
	 */
	public String outcome() {
		return this.ended ? CallOutcome.of(getError()).value() : KeyValue.NONE_VALUE;
	}

	/** Marks the call as ended, with the {@linkplain #getError() failure} if any. */
	void end() {
		this.ended = true;
	}

}
