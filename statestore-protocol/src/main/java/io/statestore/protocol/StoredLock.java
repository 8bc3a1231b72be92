package io.statestore.protocol;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock as known to its server.
 *
 * @param key the lock's key
 * @param holder the value of the key, which names the holder
 * @param version the version of the last renewal, or of the acquisition if there was no
 * renewal
 * @param token the fencing token, which is the version of the acquisition; {@code null}
 * if unknown because the server has restarted since
 * @param client the holder's MQTT client id, or {@code null} if unknown because the
 * server has restarted since the last renewal
 * @param principal the name of the holder's principal, or {@code null} if the holder is
 * anonymous or its client is unknown
 * @param remaining the time until the lock expires unless it is renewed, or {@code null}
 * if unknown or if the lock does not expire
 * @param successor the MQTT client id of the successor, which requests the lock on its
 * release, or the successor's name if its client is unknown; {@code null} if there is
 * none
 * @param waiterCount the number of clients that wait for the lock or only watch it,
 * including the successor, or a negative number if unknown
 */
public record StoredLock(Bytes key, Bytes holder, Version version, @Nullable Version token, @Nullable String client,
		@Nullable String principal, @Nullable Duration remaining, @Nullable String successor, int waiterCount) {

	/**
	 * Maximum length of a client id or principal in an answer, in bytes. Longer names are
	 * truncated.
	 */
	public static final int MAX_CLIENT_ID_BYTES = 256;

}
