package io.statestore.testing.broker;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;

/**
 * Keys whose last SET had an expiry. One with the condition
 * {@link Command.Condition#IF_ABSENT_OR_EQUAL} is the lease of a lock. Thread-safe.
 */
final class ExpiringKeys {

	private static final byte[] OK = "+OK\r\n".getBytes(StandardCharsets.US_ASCII);

	/** Keys, with whether they are leases. */
	private final Map<Bytes, Boolean> keys = new ConcurrentHashMap<>();

	/** Handles the reply to a command. */
	void replied(Command command, byte[] reply) {
		if (command instanceof Command.Set set && Arrays.equals(reply, OK)) {
			if (set.expiry() != null) {
				this.keys.put(set.key().compact(), set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL);
			}
			else {
				this.keys.remove(set.key());
			}
		}
	}

	/** Returns whether a key has an expiry, or had one when it was last set. */
	boolean contains(Bytes key) {
		return this.keys.containsKey(key);
	}

	/** Returns whether a key, if it exists, is the lease of a lock. */
	boolean isLease(Bytes key) {
		return this.keys.getOrDefault(key, false);
	}

	/** Forgets a deleted key. */
	void remove(Bytes key) {
		this.keys.remove(key);
	}

}
