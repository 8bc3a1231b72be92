package io.statestore.protocol;

import java.time.Duration;

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
 * @param successor the MQTT client id of the successor, which requests the lock on its
 * release, or the name of the successor if its client is unknown; {@code null} if there
 * is none
 * @param waiterCount the number of waiting clients, including the successor, or a
 * negative number if it is unknown
 */
public record StoredLock(Bytes key, Bytes holder, Version version, @Nullable Version token, @Nullable String client,
		@Nullable String principal, @Nullable Duration remaining, @Nullable String successor, int waiterCount) {

	/**
	 * Maximum length of a client id or principal in an answer, in bytes. Longer ones are
	 * cut off.
	 */
	public static final int MAX_CLIENT_ID_BYTES = 256;

}
