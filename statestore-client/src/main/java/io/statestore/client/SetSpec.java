package io.statestore.client;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Options of a set: {@code set(key, value, spec -> spec.ifAbsent().expire(d))}. Without
 * any of them, a value is always stored, stays until it is changed, and clears an earlier
 * expiry of the key (protocol section 2).
 * <p>
 * Valid only within the call it was passed to, on the thread of that call.
 */
public final class SetSpec {

	private Condition condition = Condition.ALWAYS;

	private @Nullable Duration expiry;

	private @Nullable FencingToken fencingToken;

	private boolean persistent;

	SetSpec() {
	}

	/**
	 * Stores the value only if the key is absent.
	 * @return these options
	 * @throws IllegalStateException after {@link #ifAbsentOrEqual()}
	 */
	public SetSpec ifAbsent() {
		return condition(Condition.IF_ABSENT);
	}

	/**
	 * Stores the value only if the key is absent or already has this value, byte for
	 * byte. In the second case the key gets a new version and the expiry of this call.
	 * @return these options
	 * @throws IllegalStateException after {@link #ifAbsent()}
	 */
	public SetSpec ifAbsentOrEqual() {
		return condition(Condition.IF_ABSENT_OR_EQUAL);
	}

	private SetSpec condition(Condition condition) {
		if (this.condition != Condition.ALWAYS && this.condition != condition) {
			throw new IllegalStateException(
					"ifAbsent() and ifAbsentOrEqual() exclude each other: a set has one condition. Keep one of them");
		}
		this.condition = condition;
		return this;
	}

	/**
	 * Deletes the key after this time, measured by the server.
	 * @param expiry 1 ms to 36,500 days; parts of a millisecond are rounded up
	 * @return these options
	 * @throws IllegalArgumentException if it is shorter or longer
	 */
	public SetSpec expire(Duration expiry) {
		this.expiry = Arguments.millis("expire", expiry,
				"Leave expire out for a value that stays, or call delete to remove the key");
		return this;
	}

	/**
	 * Protects the key with a fencing token: from now on the store refuses writes without
	 * a token, or with an older one (protocol section 5). Overrides the token of
	 * {@link StateStoreOperations#fencedBy(FencingToken)}.
	 * @param token the fencing token
	 * @return these options
	 */
	public SetSpec fencedBy(FencingToken token) {
		this.fencingToken = Arguments.notNull("token", token);
		return this;
	}

	/**
	 * Asks the server to keep the key across a restart. Servers that keep everything in
	 * memory ignore it, such as the embedded broker and the gateway.
	 * @return these options
	 */
	public SetSpec persistent() {
		this.persistent = true;
		return this;
	}

	Command toCommand(Bytes key, Bytes value) {
		return new Command.Set(key, value, this.condition, this.expiry);
	}

	Options toOptions(Options defaults) {
		FencingToken token = (this.fencingToken != null) ? this.fencingToken : defaults.fencingToken();
		return new Options(token, this.persistent || defaults.persistent(), defaults.timeout());
	}

}
