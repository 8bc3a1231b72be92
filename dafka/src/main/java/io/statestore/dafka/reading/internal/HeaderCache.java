package io.statestore.dafka.reading.internal;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import io.statestore.dafka.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Caches values by record header. A partition's headers differ only in their last eight
 * bytes, so a header that matches a cached header need not be decoded. The size is
 * limited. Not thread-safe. Internal: not part of the API.
 *
 * @param <T> type of the values
 */
final class HeaderCache<T> {

	private static final int MAX_ENTRIES = 16_384;

	/** Values by header, without its last eight bytes. */
	private final Map<Bytes, T> values = new HashMap<>();

	/** Latest header that was found, with its last eight bytes. */
	private byte[] lastHeader = {};

	private @Nullable T last;

	/**
	 * Returns the value for a header.
	 * @param header a header, with any sequence number
	 * @return the value, or {@code null} if there is none
	 */
	@Nullable T find(byte[] header) {
		int end = header.length - Long.BYTES;
		if (this.last != null && header.length == this.lastHeader.length
				&& Arrays.equals(header, 0, end, this.lastHeader, 0, end)) {
			return this.last;
		}
		T value = (end > 0) ? this.values.get(key(header)) : null;
		if (value != null) {
			this.last = value;
			this.lastHeader = header;
		}
		return value;
	}

	/**
	 * Adds a value for a header. Removes all other values if there are too many.
	 * @param header a decoded header, with any sequence number
	 * @param value value for all headers that match
	 */
	void remember(byte[] header, T value) {
		if (this.values.size() >= MAX_ENTRIES) {
			clear();
		}
		this.values.put(key(header), value);
	}

	void clear() {
		this.values.clear();
		this.last = null;
	}

	private static Bytes key(byte[] header) {
		return Bytes.wrap(Arrays.copyOf(header, header.length - Long.BYTES));
	}

}
