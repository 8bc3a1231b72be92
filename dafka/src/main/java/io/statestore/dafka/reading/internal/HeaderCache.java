package io.statestore.dafka.reading.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Cache of values by the header of a record. The headers of a partition differ only in
 * their last eight bytes, so a header that matches a decoded one need not be decoded. The
 * size is limited. Not thread-safe. Internal: not part of the API.
 *
 * @param <T> type of the values
 */
final class HeaderCache<T> {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private static final int MAX_ENTRIES = 16_384;

	private final Map<Key, Entry<T>> entries = new HashMap<>();

	private final Key probe = new Key();

	private @Nullable Entry<T> last;

	/**
	 * Returns the value for a header.
	 * @param header the header, with any sequence number
	 * @return the value, or {@code null} if there is none
	 */
	public @Nullable T find(byte[] header) {
		Entry<T> last = this.last;
		if (last != null && last.key.isOf(header)) {
			return last.value;
		}
		if (header.length < 4 * Long.BYTES) {
			return null;
		}
		this.probe.set(header);
		last = this.entries.get(this.probe);
		if (last == null) {
			return null;
		}
		this.last = last;
		return last.value;
	}

	/**
	 * Adds a value for a header. Removes all others if there are too many.
	 * @param header a header that was decoded, with any sequence number
	 * @param value the value
	 */
	public void remember(byte[] header, T value) {
		if (header.length < 4 * Long.BYTES) {
			return;
		}
		if (this.entries.size() >= MAX_ENTRIES) {
			clear();
		}
		Key key = new Key();
		key.set(header);
		this.entries.put(key, new Entry<>(key, value));
	}

	/** Removes all values. */
	public void clear() {
		this.entries.clear();
		this.last = null;
	}

	private record Entry<T>(Key key, T value) {
	}

	/** Header without its sequence number. */
	private static final class Key {

		private byte[] header = {};

		private int end;

		private int hash;

		void set(byte[] header) {
			this.header = header;
			this.end = header.length - Long.BYTES;
			// The last bytes belong to address and subject, the first byte is the id.
			long mix = (long) LONG.get(header, this.end - Long.BYTES) * 31
					+ (long) LONG.get(header, this.end - 2 * Long.BYTES) * 17
					+ (long) LONG.get(header, this.end - 3 * Long.BYTES) + header[0];
			// Fibonacci hashing (Knuth, The Art of Computer Programming, Volume 3, 6.4).
			this.hash = Long.hashCode(mix * 0x9E3779B97F4A7C15L) ^ header.length;
		}

		boolean isOf(byte[] other) {
			return other.length == this.header.length && Arrays.equals(this.header, 0, this.end, other, 0, this.end);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Key key && key.isOf(this.header);
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
