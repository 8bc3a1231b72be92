package io.statestore.protocol;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock as its server knows it.
 *
 * @param key the key of the lock
 * @param holder the value of the key, which names the holder
 * @param version the version of the last renewal, or of the acquisition if there was no
 * renewal
 * @param token the fencing token, which is the version of the acquisition; {@code null}
 * if it is unknown because the server restarted since
 * @param client the MQTT client id of the holder, or {@code null} if it is unknown
 * because the server restarted since the last renewal
 * @param principal the name of the principal that the holder has authenticated, or
 * {@code null} if it is anonymous, or if its client is unknown
 * @param remaining the time until the lock expires without a further renewal, or
 * {@code null} if it is unknown or the lock does not expire
 * @param waiters MQTT client ids of clients that wait for the lock. The successor is the
 * first one, if there is a successor; the others have no order. At most
 * {@value #MAX_WAITERS}
 * @param waiterCount the number of waiting clients, including those that are not listed;
 * negative if it is unknown
 */
public record StoredLock(Bytes key, Bytes holder, Version version, @Nullable Version token, @Nullable String client,
		@Nullable String principal, @Nullable Duration remaining, List<String> waiters, int waiterCount) {

	/** Maximum number of waiters in an answer. */
	public static final int MAX_WAITERS = 20;

	/**
	 * Maximum length of a client id or principal in an answer, in bytes. Longer ones are
	 * cut off.
	 */
	public static final int MAX_CLIENT_ID_BYTES = 256;

	/** Creates a description with a copy of the list. */
	public StoredLock {
		waiters = List.copyOf(waiters);
	}

	/** Creates a description of a lock whose holder is anonymous or unknown. */
	public StoredLock(Bytes key, Bytes holder, Version version, @Nullable Version token, @Nullable String client,
			@Nullable Duration remaining, List<String> waiters, int waiterCount) {
		this(key, holder, version, token, client, null, remaining, waiters, waiterCount);
	}

}
