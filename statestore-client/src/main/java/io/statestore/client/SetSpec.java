package io.statestore.client;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Options of {@code set}, as in
 * {@code set(key, value, spec -> spec.ifAbsent().expire(duration))}. By default, the
 * value is stored unconditionally, never expires, and clears an earlier expiry of the key
 * (protocol section 2). A template can have another
 * {@linkplain StateStoreTemplate#withDefaultExpiry default expiry}.
 * <p>
 * An instance can be used only by the function it is passed to, and only until that
 * function returns. Not thread-safe.
 */
public final class SetSpec {

	private Condition condition = Condition.ALWAYS;

	private @Nullable Duration expiry;

	private boolean neverExpire;

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
	 * Stores the value only if the key is absent or its value already has the same bytes.
	 * In the latter case, the key gets a new version and this command's expiry.
	 * @return these options
	 * @throws IllegalStateException after {@link #ifAbsent()}
	 */
	public SetSpec ifAbsentOrEqual() {
		return condition(Condition.IF_ABSENT_OR_EQUAL);
	}

	private SetSpec condition(Condition condition) {
		if (this.condition != Condition.ALWAYS && this.condition != condition) {
			throw new IllegalStateException("ifAbsent() and ifAbsentOrEqual() exclude each other. Keep one of them");
		}
		this.condition = condition;
		return this;
	}

	/**
	 * Sets how long after this write the server deletes the key.
	 * @param expiry 1 ms to 36,500 days; rounded up to milliseconds
	 * @return these options
	 * @throws IllegalArgumentException if the expiry is out of range
	 * @throws IllegalStateException after {@link #neverExpire()}
	 */
	public SetSpec expire(Duration expiry) {
		requireOneExpiry(this.neverExpire);
		this.expiry = Arguments.millis("expire", expiry,
				"Omit expire for a value that never expires, or call delete to remove the key");
		return this;
	}

	/**
	 * Stores the value without an expiry, even if the template has a
	 * {@linkplain StateStoreTemplate#withDefaultExpiry default expiry}.
	 * @return these options
	 * @throws IllegalStateException after {@link #expire(Duration)}
	 */
	public SetSpec neverExpire() {
		requireOneExpiry(this.expiry != null);
		this.neverExpire = true;
		return this;
	}

	private static void requireOneExpiry(boolean another) {
		if (another) {
			throw new IllegalStateException("expire(Duration) and neverExpire() exclude each other. Keep one of them");
		}
	}

	/**
	 * Protects the key with a fencing token: from then on, the store refuses writes
	 * without a token or with an older token (protocol section 5). Overrides the token of
	 * {@link StateStoreOperations#fencedBy(FencingToken)}. Implies {@link #persistent()},
	 * because a key that does not survive a restart loses its protection.
	 * @param token the fencing token
	 * @return these options
	 */
	public SetSpec fencedBy(FencingToken token) {
		this.fencingToken = Arguments.notNull("token", token);
		return this;
	}

	/**
	 * Requests that the key survive a server restart. A server that keeps its data only
	 * in memory ignores the request. A server with a data directory keeps all keys,
	 * unless it is configured to keep only keys with this request.
	 * @return these options
	 */
	public SetSpec persistent() {
		this.persistent = true;
		return this;
	}

	/**
	 * Returns the command.
	 * @param defaultExpiry expiry to use if these options do not determine it,
	 * {@code null} for none
	 */
	Command.Write toCommand(Bytes key, Bytes value, @Nullable Duration defaultExpiry) {
		Duration expiry = (this.expiry != null || this.neverExpire) ? this.expiry : defaultExpiry;
		return new Command.Set(key, value, this.condition, expiry);
	}

	Options toOptions(Options defaults) {
		FencingToken token = (this.fencingToken != null) ? this.fencingToken : defaults.fencingToken();
		// The store keeps the token with the key and loses it with the key.
		boolean persistent = this.persistent || token != null || defaults.persistent();
		return new Options(token, persistent, defaults.timeout());
	}

}
