package io.statestore.broker.engine;

/**
 * How much a store may hold (protocol section 3, "the quota has been exceeded").
 *
 * @param maxKeys number of keys
 * @param maxBytes bytes of all keys and values together, and of the node ids of the
 * fencing tokens that protect them; what the store itself needs to manage a key, about
 * 150 bytes, is not counted. Observations are bounded for each observer instead
 */
public record Quota(long maxKeys, long maxBytes) {

	/** No limit but the memory of the machine. */
	public static final Quota UNLIMITED = new Quota(Long.MAX_VALUE, Long.MAX_VALUE);

	public Quota {
		if (maxKeys < 1 || maxBytes < 1) {
			throw new IllegalArgumentException("'maxKeys' and 'maxBytes' must be at least 1");
		}
	}

}
