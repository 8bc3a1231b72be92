package io.statestore.broker.history;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.Encoder;
import io.statestore.broker.engine.StateMachine;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Records which log entries have changed the store, and the versions of these changes, in
 * about five bytes per change, and the sum of each INCRBY. Everything else is in the log.
 * The index is necessary because an entry contains a command, but not the command's
 * effect, which depends on the previous state.
 * <p>
 * One thread adds changes. Any thread may read them.
 */
final class ChangeIndex {

	private static final int CHUNK_BYTES = 16 << 10;

	/** Maximum size of an encoded change without its key, including a sum, in bytes. */
	private static final int MAX_CHANGE_BYTES = 64;

	private static final int HAS_KEY = 1;

	private static final int HAS_NUMBER = 2;

	/** In place of the length of a key, which is at least 1: a sum follows. */
	private static final int NO_KEY = 0;

	private final List<Chunk> chunks;

	/** The chunk to which changes are added, {@code null} to begin a new chunk. */
	private @Nullable Chunk last;

	ChangeIndex() {
		this(List.of());
	}

	private ChangeIndex(List<Chunk> chunks) {
		this.chunks = new CopyOnWriteArrayList<>(chunks);
		this.last = chunks.isEmpty() ? null : chunks.get(chunks.size() - 1);
	}

	/**
	 * Adds a change.
	 * @param change the change; its entry must not precede the previous change's entry
	 */
	void add(IndexedChange change) {
		Bytes key = change.key();
		Chunk chunk = this.last;
		if (chunk == null || !chunk.hasRoom(key)) {
			chunk = new Chunk(change.entry(), change.version(), (key != null) ? key.length() : 0);
			chunk.add(change);
			this.last = chunk;
			this.chunks.add(chunk);
			return;
		}
		chunk.add(change);
	}

	/** Begins a new chunk with the next change so that {@link #upTo} can end here. */
	void cut() {
		this.last = null;
	}

	/** Returns the changes up to an entry at which {@link #cut} was called. */
	ChangeIndex upTo(long entry) {
		return new ChangeIndex(this.chunks.stream().filter((chunk) -> chunk.firstEntry <= entry).toList());
	}

	/** Returns the changes after an entry at which {@link #cut} was called. */
	ChangeIndex behind(long entry) {
		return new ChangeIndex(this.chunks.stream().filter((chunk) -> chunk.firstEntry > entry).toList());
	}

	/** Returns a reader for the changes after a version. */
	Reader readBehind(Version version) {
		int first = 0;
		while (first + 1 < this.chunks.size() && this.chunks.get(first + 1).firstVersion.compareTo(version) <= 0) {
			first++;
		}
		Reader reader = new Reader(first);
		reader.skipUpTo(version);
		return reader;
	}

	/** Returns whether the index has a change with a version. */
	boolean contains(Version version) {
		Reader reader = readBehind(version);
		return version.equals(reader.skipped);
	}

	/**
	 * Returns the versions of the last changes before a version.
	 * @param count maximum number of changes
	 */
	Deque<Version> lastBefore(Version end, int count) {
		int chunk = this.chunks.size() - 1;
		while (chunk >= 0 && this.chunks.get(chunk).firstVersion.compareTo(end) >= 0) {
			chunk--;
		}
		Deque<Version> last = new ArrayDeque<>();
		if (chunk < 0) {
			return last;
		}
		Reader reader = new Reader(chunk);
		for (IndexedChange next = reader.next(); next != null
				&& next.version().compareTo(end) < 0; next = reader.next()) {
			last.add(next.version());
			if (last.size() > count) {
				last.remove();
			}
		}
		return last;
	}

	byte[] encode() {
		Encoder encoder = new Encoder(CHUNK_BYTES).writeInt(this.chunks.size());
		for (Chunk chunk : this.chunks) {
			byte[] data = new byte[chunk.end];
			chunk.data.get(0, data);
			encoder.writeNumber(chunk.firstEntry)
				.writeNumber(chunk.firstVersion.wallMillis())
				.writeNumber(chunk.firstVersion.counter())
				.writeBytes(Bytes.wrap(data));
		}
		return encoder.toArray();
	}

	static ChangeIndex decode(ByteBuffer bytes) {
		byte[] array = new byte[bytes.remaining()];
		bytes.get(array);
		Decoder decoder = new Decoder(array, "list of changes");
		List<Chunk> chunks = new ArrayList<>();
		int count = decoder.readInt();
		for (int i = 0; i < count; i++) {
			chunks.add(new Chunk(decoder.readNumber(), decoder.readVersionOf(StateMachine.BEFORE_ALL.nodeId()),
					ByteBuffer.wrap(decoder.readArray())));
		}
		return new ChangeIndex(chunks);
	}

	/** A sequence of consecutive changes. */
	private static final class Chunk {

		private final long firstEntry;

		private final Version firstVersion;

		private final ByteBuffer data;

		/** End of the changes that other threads may read. */
		private volatile int end;

		private long entry;

		private Version version;

		Chunk(long firstEntry, Version firstVersion, int keyBytes) {
			this.firstEntry = firstEntry;
			this.firstVersion = firstVersion;
			this.data = ByteBuffer.allocate(Math.max(CHUNK_BYTES, keyBytes + MAX_CHANGE_BYTES));
			this.entry = firstEntry;
			this.version = firstVersion;
		}

		Chunk(long firstEntry, Version firstVersion, ByteBuffer data) {
			this.firstEntry = firstEntry;
			this.firstVersion = firstVersion;
			this.data = data;
			this.end = data.limit();
			this.entry = firstEntry;
			this.version = firstVersion;
		}

		boolean hasRoom(@Nullable Bytes key) {
			return this.data.remaining() >= MAX_CHANGE_BYTES + ((key != null) ? key.length() : 0);
		}

		void add(IndexedChange change) {
			Version version = change.version();
			Bytes key = change.key();
			Bytes sum = change.sum();
			put((change.entry() - this.entry) << 2 | ((key != null || sum != null) ? HAS_KEY : 0)
					| ((change.number() > 0) ? HAS_NUMBER : 0));
			if (change.number() > 0) {
				put(change.number());
			}
			put(version.wallMillis() - this.version.wallMillis());
			put(version.counter());
			if (key != null) {
				put(key.length());
				this.data.put(key.toArray());
			}
			else if (sum != null) {
				put(NO_KEY);
				put(sum.length());
				this.data.put(sum.toArray());
			}
			this.entry = change.entry();
			this.version = version;
			this.end = this.data.position();
		}

		private void put(long number) {
			long rest = number;
			for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
				this.data.put((byte) (rest | 0x80));
			}
			this.data.put((byte) rest);
		}

	}

	/** Returns changes in order. */
	final class Reader {

		private int chunk;

		private int position;

		private long entry;

		private long millis;

		private @Nullable IndexedChange peeked;

		/** Version of the last change that was skipped. */
		private @Nullable Version skipped;

		private Reader(int chunk) {
			this.chunk = chunk - 1;
		}

		private void nextChunk() {
			Chunk next = ChangeIndex.this.chunks.get(++this.chunk);
			this.position = 0;
			this.entry = next.firstEntry;
			this.millis = next.firstVersion.wallMillis();
		}

		private void skipUpTo(Version version) {
			for (IndexedChange next = peek(); next != null && next.version().compareTo(version) <= 0; next = peek()) {
				this.skipped = next.version();
				this.peeked = null;
			}
		}

		/**
		 * Returns the next change without moving to it, {@code null} if there is none.
		 */
		@Nullable IndexedChange peek() {
			if (this.peeked == null) {
				this.peeked = read();
			}
			return this.peeked;
		}

		/** Returns the next change, or {@code null} if there is none. */
		@Nullable IndexedChange next() {
			IndexedChange next = peek();
			this.peeked = null;
			return next;
		}

		private @Nullable IndexedChange read() {
			while (true) {
				// Nothing is added to a chunk once there is a later chunk.
				boolean complete = this.chunk + 1 < ChangeIndex.this.chunks.size();
				if (this.chunk >= 0 && this.position < ChangeIndex.this.chunks.get(this.chunk).end) {
					break;
				}
				if (!complete) {
					return null;
				}
				nextChunk();
			}
			ByteBuffer data = ChangeIndex.this.chunks.get(this.chunk).data;
			long first = number(data);
			this.entry += first >>> 2;
			int number = ((first & HAS_NUMBER) != 0) ? (int) number(data) : 0;
			this.millis += number(data);
			Version version = new Version(this.millis, (int) number(data), StateMachine.BEFORE_ALL.nodeId());
			long keyLength = ((first & HAS_KEY) != 0) ? number(data) : -1;
			Bytes key = (keyLength > NO_KEY) ? bytes(data, keyLength) : null;
			Bytes sum = (keyLength == NO_KEY) ? bytes(data, number(data)) : null;
			return new IndexedChange(this.entry, number, version, key, sum);
		}

		private Bytes bytes(ByteBuffer data, long length) {
			byte[] bytes = new byte[(int) length];
			data.get(this.position, bytes);
			this.position += bytes.length;
			return Bytes.wrap(bytes);
		}

		private long number(ByteBuffer data) {
			long result = 0;
			for (int shift = 0;; shift += 7) {
				byte next = data.get(this.position++);
				result |= (next & 0x7FL) << shift;
				if (next >= 0) {
					return result;
				}
			}
		}

	}

	/**
	 * A change in the index.
	 *
	 * @param entry index of the log entry that made the change
	 * @param number position of the store entry within the log entry, from 0
	 * @param version version of the change
	 * @param key the key, {@code null} if it is the key of the entry's command
	 * @param sum the value that an INCRBY stored, {@code null} for other changes
	 */
	record IndexedChange(long entry, int number, Version version, @Nullable Bytes key, @Nullable Bytes sum) {
	}

}
