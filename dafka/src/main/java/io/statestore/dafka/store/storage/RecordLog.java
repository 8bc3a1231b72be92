package io.statestore.dafka.store.storage;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * The records of all partitions. Appended records become blocks of one partition each
 * with {@link #flush}; only then are they there. For one thread, but for {@link #read},
 * which any may call where the engine allows it, as RocksDB does.
 */
public final class RecordLog implements AutoCloseable {

	private static final byte PARTITIONS = 'p';

	private static final byte BLOCKS = 'r';

	private static final int MAX_BLOCK = 64 << 10;

	private static final int MAX_REMOVED_BLOCKS = 10_000;

	private static final int MAX_FORGOTTEN = 1_000;

	private final Engine engine;

	private final Map<PartitionKey, StoredPartition> partitions = new LinkedHashMap<>();

	private final Set<StoredPartition> touched = new LinkedHashSet<>();

	private int nextId;

	private long bytes;

	private long pendingBytes;

	/**
	 * Opens what an engine has and checks it; closes it if that fails.
	 * @throws StorageException if a block is damaged or missing
	 */
	public RecordLog(Engine engine) {
		this.engine = engine;
		try {
			engine.scan(partitionKey(0), (key, value) -> {
				if (key[0] == PARTITIONS) {
					readPartition(key, value);
				}
				return key[0] == PARTITIONS;
			});
			this.partitions.values().forEach(this::check);
		}
		catch (RuntimeException ex) {
			engine.close();
			throw ex;
		}
	}

	public Collection<StoredPartition> partitions() {
		return this.partitions.values();
	}

	/** The partition, which is made if it is not there; written with its first record. */
	public StoredPartition partition(PartitionKey key) {
		return this.partitions.computeIfAbsent(key, (absent) -> new StoredPartition(StoredPartition.NEW, absent, 0));
	}

	/** Forgets a partition without records, of which nothing was ever written. */
	public void discard(StoredPartition partition) {
		if (partition.id == StoredPartition.NEW && partition.pending.isEmpty()) {
			this.partitions.remove(partition.key());
		}
	}

	/**
	 * Forgets partitions of which retention left no record, with the numbers of their
	 * next records.
	 * @param live accepts partitions that must stay
	 * @return the forgotten partitions, a limited number at a time
	 */
	public List<StoredPartition> forgetEmpty(Predicate<StoredPartition> live) {
		List<StoredPartition> forgotten = this.partitions.values()
			.stream()
			.filter((partition) -> partition.id != StoredPartition.NEW && !partition.hasRecords()
					&& partition.pending.isEmpty() && !live.test(partition))
			.limit(MAX_FORGOTTEN)
			.toList();
		if (!forgotten.isEmpty()) {
			this.engine.remove(forgotten.stream()
				.map((partition) -> new Engine.Range(partitionKey(partition.id), partitionKey(partition.id + 1)))
				.toList());
			forgotten.forEach((partition) -> this.partitions.remove(partition.key()));
		}
		return forgotten;
	}

	/** The partition, {@code null} if it is not there. */
	public @Nullable StoredPartition find(PartitionKey key) {
		return this.partitions.get(key);
	}

	/** Adds the next record of a partition to what will be written. */
	public void append(StoredPartition partition, byte[] content) {
		if (partition.pending.isEmpty()) {
			this.touched.add(partition);
		}
		partition.pending.add(content);
		this.pendingBytes += content.length;
	}

	/** Bytes that wait to be written. */
	public long pendingBytes() {
		return this.pendingBytes;
	}

	/**
	 * Writes what was added.
	 * @param sync whether to return only when it is on the disk
	 * @param millis the time of day
	 * @return the partitions that have more records now
	 */
	public List<StoredPartition> flush(boolean sync, long millis) {
		if (this.touched.isEmpty()) {
			return List.of();
		}
		List<StoredPartition> written = List.copyOf(this.touched);
		List<Engine.Entry> entries = new ArrayList<>(written.size());
		for (StoredPartition partition : written) {
			describe(partition, entries);
			addBlocks(partition, millis, entries);
		}
		this.engine.write(entries, sync);
		for (StoredPartition partition : written) {
			partition.next += partition.pending.size();
			partition.pending.clear();
		}
		this.touched.clear();
		this.pendingBytes = 0;
		return written;
	}

	/** Blocks are read as a whole, so they are not larger than what is sent in one go. */
	private void addBlocks(StoredPartition partition, long millis, List<Engine.Entry> entries) {
		int start = 0;
		int size = 0;
		for (int i = 0; i <= partition.pending.size(); i++) {
			boolean end = i == partition.pending.size();
			int length = end ? 0 : partition.pending.get(i).length;
			if (i > start && (end || size + length > MAX_BLOCK)) {
				long first = partition.next + start;
				byte[] block = Block.encode(first, partition.pending.subList(start, i), millis);
				entries.add(new Engine.Entry(blockKey(partition.id, first), block));
				count(partition, block.length);
				start = i;
				size = 0;
			}
			size += length;
		}
	}

	/** Notes that records are lost; those before must be written. */
	public void lost(StoredPartition partition, long next, long millis) {
		byte[] block = Block.encodeLost(next, millis);
		List<Engine.Entry> entries = new ArrayList<>();
		describe(partition, entries);
		entries.add(new Engine.Entry(blockKey(partition.id, partition.next), block));
		this.engine.write(entries, false);
		count(partition, block.length);
		partition.next = next;
	}

	/**
	 * Visits written records from a number on, or from the first one behind it that is
	 * there, until the visitor has enough.
	 */
	public void read(StoredPartition partition, long from, Reader reader) {
		byte[] start = blockKey(partition.id, from);
		Engine.Entry floor = this.engine.floor(start);
		if (floor != null && isBlockOf(partition.id, floor.key()) && Block.next(floor.value()) > from) {
			start = floor.key();
		}
		this.engine.scan(start,
				(key, block) -> isBlockOf(partition.id, key) && Block.visit(firstOf(key), block, from, reader::read));
	}

	/** Takes records in order. */
	@FunctionalInterface
	public interface Reader {

		/** Whether to go on. */
		boolean read(long sequence, byte[] content);

	}

	/** Bytes of all blocks. */
	public long bytes() {
		return this.bytes;
	}

	/**
	 * Removes the oldest blocks.
	 * @param oldestMillis time before which blocks are removed
	 * @param maxBytes maximum size of the remaining blocks
	 */
	public void retain(long oldestMillis, long maxBytes) {
		PriorityQueue<Oldest> queue = new PriorityQueue<>(Comparator.comparingLong(Oldest::millis));
		for (StoredPartition partition : this.partitions.values()) {
			// Most partitions need no look at the disk.
			boolean due = this.bytes > maxBytes || partition.oldestMillis < oldestMillis;
			Oldest oldest = (due && partition.bytes > 0) ? oldest(partition, 0) : null;
			if (oldest != null) {
				partition.oldestMillis = oldest.millis();
				queue.add(oldest);
			}
		}
		Map<StoredPartition, Long> removed = new LinkedHashMap<>();
		for (int i = 0; i < MAX_REMOVED_BLOCKS; i++) {
			Oldest oldest = queue.poll();
			if (oldest == null || (oldest.millis() >= oldestMillis && this.bytes <= maxBytes)) {
				break;
			}
			count(oldest.partition(), -oldest.size());
			removed.put(oldest.partition(), oldest.next());
			Oldest following = oldest(oldest.partition(), oldest.next());
			oldest.partition().oldestMillis = (following != null) ? following.millis() : Long.MIN_VALUE;
			if (following != null) {
				queue.add(following);
			}
		}
		if (removed.isEmpty()) {
			return;
		}
		// The description keeps the number of the next record when no block is left.
		this.engine.write(removed.keySet().stream().map(RecordLog::description).toList(), false);
		this.engine
			.remove(removed.entrySet().stream().map((entry) -> range(entry.getKey().id, entry.getValue())).toList());
	}

	@Override
	public void close() {
		this.engine.close();
	}

	private @Nullable Oldest oldest(StoredPartition partition, long from) {
		Oldest[] found = new Oldest[1];
		this.engine.scan(blockKey(partition.id, from), (key, block) -> {
			if (isBlockOf(partition.id, key)) {
				found[0] = new Oldest(partition, Block.millis(block), Block.next(block), block.length);
			}
			return false;
		});
		return found[0];
	}

	private record Oldest(StoredPartition partition, long millis, long next, int size) {
	}

	private void count(StoredPartition partition, int size) {
		partition.bytes += size;
		this.bytes += size;
	}

	private void check(StoredPartition partition) {
		boolean[] any = new boolean[1];
		this.engine.scan(blockKey(partition.id, 0), (key, block) -> {
			if (!isBlockOf(partition.id, key)) {
				return false;
			}
			long first = firstOf(key);
			String damage = Block.damage(first, block);
			if (damage == null && any[0] && first != partition.next) {
				damage = "the one before it is missing";
			}
			if (damage != null) {
				throw new StorageException("The block of " + partition.key().names() + " at offset " + first + " in "
						+ this.engine.location() + " is damaged (" + damage + "): restore the directory from a copy,"
						+ " or move it away; a Dafka store with an empty directory copies the records of other stores",
						null);
			}
			partition.oldestMillis = any[0] ? partition.oldestMillis : Block.millis(block);
			any[0] = true;
			partition.next = Block.next(block);
			count(partition, block.length);
			return true;
		});
	}

	private void readPartition(byte[] key, byte[] value) {
		ByteBuffer buffer = ByteBuffer.wrap(value);
		long next = buffer.getLong();
		Bytes address = readName(buffer);
		Bytes subject = readName(buffer);
		PartitionKey name = new PartitionKey(address, subject);
		int id = ByteBuffer.wrap(key).getInt(1);
		this.nextId = Math.max(this.nextId, id + 1);
		this.partitions.put(name, new StoredPartition(id, name, next));
	}

	/** Adds the description of a partition to its first records. */
	private void describe(StoredPartition partition, List<Engine.Entry> entries) {
		if (partition.id == StoredPartition.NEW) {
			partition.id = this.nextId++;
			entries.add(description(partition));
		}
	}

	private static Engine.Entry description(StoredPartition partition) {
		Bytes address = partition.key().address();
		Bytes subject = partition.key().subject();
		ByteBuffer value = ByteBuffer.allocate(Long.BYTES + 2 + address.size() + subject.size());
		value.putLong(partition.next);
		value.put((byte) address.size()).put(address.unwrap()).put((byte) subject.size()).put(subject.unwrap());
		return new Engine.Entry(partitionKey(partition.id), value.array());
	}

	private static Bytes readName(ByteBuffer buffer) {
		byte[] name = new byte[buffer.get() & 0xFF];
		buffer.get(name);
		return Bytes.wrap(name);
	}

	private static byte[] partitionKey(int id) {
		return ByteBuffer.allocate(1 + Integer.BYTES).put(PARTITIONS).putInt(id).array();
	}

	private static byte[] blockKey(int id, long first) {
		return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES).put(BLOCKS).putInt(id).putLong(first).array();
	}

	private static Engine.Range range(int id, long end) {
		return new Engine.Range(blockKey(id, 0), blockKey(id, end));
	}

	private static boolean isBlockOf(int id, byte[] key) {
		return key[0] == BLOCKS && ByteBuffer.wrap(key).getInt(1) == id;
	}

	private static long firstOf(byte[] key) {
		return ByteBuffer.wrap(key).getLong(1 + Integer.BYTES);
	}

}
