package io.statestore.dafka.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Finds what belongs to the header of a record without decoding it: headers of one
 * partition differ in their last eight bytes only, and what was decoded once need not be
 * checked again. Bounded; for one thread.
 */
public final class HeaderCache<T> {

	private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	private static final int MAX_ENTRIES = 16_384;

	private final Map<Key, Entry<T>> entries = new HashMap<>();

	private final Key probe = new Key();

	private @Nullable Entry<T> last;

	/** What was remembered for headers like this one. */
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

	/** Remembers a value for a header that was decoded. */
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

	/** Forgets all headers. */
	public void clear() {
		this.entries.clear();
		this.last = null;
	}

	private record Entry<T>(Key key, T value) {
	}

	/** A header without its sequence. */
	private static final class Key {

		private byte[] header = {};

		private int end;

		private int hash;

		void set(byte[] header) {
			this.header = header;
			this.end = header.length - Long.BYTES;
			// Address and subject are at the end, the id is the first byte.
			long mix = (long) LONG.get(header, this.end - Long.BYTES) * 31
					+ (long) LONG.get(header, this.end - 2 * Long.BYTES) * 17
					+ (long) LONG.get(header, this.end - 3 * Long.BYTES) + header[0];
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
