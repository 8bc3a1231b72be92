package io.statestore.dafka.store;

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

import io.statestore.dafka.reading.internal.PartitionKey;
import org.jspecify.annotations.Nullable;

/**
 * Stores the records of all partitions. {@link #flush} writes appended records as blocks,
 * each with records of one partition. Not thread-safe, except for {@link #read}, which
 * any thread may call if the engine permits it, as RocksDB does.
 */
final class RecordLog implements AutoCloseable {

	/**
	 * Maximum content size of a block, in bytes. Blocks are read as a whole, so they
	 * should not exceed the size of a slice sent to a node.
	 */
	private static final int MAX_BLOCK = 64 << 10;

	private static final int MAX_REMOVED_BLOCKS = 10_000;

	private static final int MAX_REMOVED_PARTITIONS = 1_000;

	private final Engine engine;

	private final Map<PartitionKey, StoredPartition> partitions = new LinkedHashMap<>();

	/** Partitions with appended records that are not written yet. */
	private final Set<StoredPartition> touched = new LinkedHashSet<>();

	private int nextId;

	/** Size of all blocks, in bytes. */
	private long bytes;

	/** Size of the appended records that are not written yet, in bytes. */
	private long pendingBytes;

	/**
	 * Opens a log and checks all blocks. Closes the engine if this fails.
	 * @param engine the engine, now owned by this log
	 * @throws StorageException if a block is damaged or missing
	 */
	public RecordLog(Engine engine) {
		this.engine = engine;
		try {
			engine.scan(StoredPartition.descriptionKey(0), (key, value) -> {
				if (StoredPartition.isDescription(key)) {
					readPartition(key, value);
				}
				return StoredPartition.isDescription(key);
			});
			this.partitions.values().forEach(this::check);
		}
		catch (RuntimeException ex) {
			engine.close();
			throw ex;
		}
	}

	/**
	 * Returns all partitions.
	 * @return a view, in order of creation
	 */
	public Collection<StoredPartition> partitions() {
		return this.partitions.values();
	}

	/**
	 * Returns a partition, creating it if necessary. A new partition is written with its
	 * first record.
	 * @param key key of the partition
	 * @return an existing or new partition
	 */
	public StoredPartition partition(PartitionKey key) {
		return this.partitions.computeIfAbsent(key, (absent) -> new StoredPartition(StoredPartition.NEW, absent, 0));
	}

	/**
	 * Removes a partition if nothing was ever appended to it.
	 * @param partition partition to remove; kept if it has records
	 */
	public void discard(StoredPartition partition) {
		if (partition.id == StoredPartition.NEW && partition.pending.isEmpty()) {
			this.partitions.remove(partition.key());
		}
	}

	/**
	 * Removes a limited number of partitions whose records were all removed by retention.
	 * Their next sequence numbers are forgotten.
	 * @param live accepts partitions to keep
	 * @return the removed partitions
	 */
	public List<StoredPartition> removeEmpty(Predicate<StoredPartition> live) {
		List<StoredPartition> removed = this.partitions.values()
			.stream()
			.filter((partition) -> partition.id != StoredPartition.NEW && !partition.hasRecords()
					&& partition.pending.isEmpty() && !live.test(partition))
			.limit(MAX_REMOVED_PARTITIONS)
			.toList();
		if (!removed.isEmpty()) {
			this.engine.remove(removed.stream()
				.map((partition) -> new Engine.Range(StoredPartition.descriptionKey(partition.id),
						StoredPartition.descriptionKey(partition.id + 1)))
				.toList());
			removed.forEach((partition) -> this.partitions.remove(partition.key()));
		}
		return removed;
	}

	/**
	 * Returns an existing partition.
	 * @param key key of the partition
	 * @return the partition, or {@code null} if it does not exist
	 */
	public @Nullable StoredPartition find(PartitionKey key) {
		return this.partitions.get(key);
	}

	/**
	 * Appends a partition's next record without writing it.
	 * @param partition partition of the record
	 * @param content record content
	 */
	public void append(StoredPartition partition, byte[] content) {
		if (partition.pending.isEmpty()) {
			this.touched.add(partition);
		}
		partition.pending.add(content);
		this.pendingBytes += content.length;
	}

	/**
	 * Returns the size of the appended records that are not written yet.
	 * @return number of bytes
	 */
	public long pendingBytes() {
		return this.pendingBytes;
	}

	/**
	 * Writes appended records.
	 * @param sync whether to wait until they are on disk
	 * @param millis current time in milliseconds since the epoch
	 * @return the partitions whose records were written
	 * @throws StorageException if the write fails
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

	private void addBlocks(StoredPartition partition, long millis, List<Engine.Entry> entries) {
		int start = 0;
		int size = 0;
		for (int i = 0; i <= partition.pending.size(); i++) {
			boolean end = i == partition.pending.size();
			int length = end ? 0 : partition.pending.get(i).length;
			if (i > start && (end || size + length > MAX_BLOCK)) {
				long first = partition.next + start;
				byte[] block = Block.encode(first, partition.pending.subList(start, i), millis);
				entries.add(new Engine.Entry(partition.blockKey(first), block));
				count(partition, block.length);
				start = i;
				size = 0;
			}
			size += length;
		}
	}

	/**
	 * Records that the next records of a partition are lost. All earlier records must be
	 * written already.
	 * @param partition partition of the records
	 * @param next sequence number after the last lost record
	 * @param millis current time in milliseconds since the epoch
	 * @throws StorageException if the write fails
	 */
	public void lost(StoredPartition partition, long next, long millis) {
		byte[] block = Block.encodeLost(next, millis);
		List<Engine.Entry> entries = new ArrayList<>();
		describe(partition, entries);
		entries.add(new Engine.Entry(partition.blockKey(partition.next), block));
		this.engine.write(entries, false);
		count(partition, block.length);
		partition.next = next;
	}

	/**
	 * Reads written records until the visitor stops. Skips unavailable records.
	 * @param partition partition of the records
	 * @param from sequence number of the first record to read
	 * @param visitor receives the records
	 * @throws StorageException if the read fails
	 */
	public void read(StoredPartition partition, long from, Block.Visitor visitor) {
		byte[] start = partition.blockKey(from);
		Engine.Entry floor = this.engine.floor(start);
		if (floor != null && partition.hasBlock(floor.key()) && Block.next(floor.value()) > from) {
			start = floor.key();
		}
		this.engine.scan(start, (key, block) -> partition.hasBlock(key)
				&& Block.visit(StoredPartition.firstOf(key), block, from, visitor));
	}

	/**
	 * Returns the size of all blocks.
	 * @return number of bytes
	 */
	public long bytes() {
		return this.bytes;
	}

	/**
	 * Removes a limited number of the oldest blocks.
	 * @param oldestMillis time in milliseconds since the epoch before which blocks are
	 * removed
	 * @param maxBytes maximum size of the remaining blocks, in bytes
	 * @throws StorageException if the removal fails
	 */
	public void retain(long oldestMillis, long maxBytes) {
		PriorityQueue<Oldest> queue = new PriorityQueue<>(Comparator.comparingLong(Oldest::millis));
		for (StoredPartition partition : this.partitions.values()) {
			// Avoids reading the disk unless necessary.
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
		// The description preserves the next sequence number if no block is left.
		this.engine.write(removed.keySet().stream().map(StoredPartition::description).toList(), false);
		this.engine
			.remove(removed.entrySet().stream().map((entry) -> entry.getKey().blocksBefore(entry.getValue())).toList());
	}

	@Override
	public void close() {
		this.engine.close();
	}

	private @Nullable Oldest oldest(StoredPartition partition, long from) {
		Oldest[] found = new Oldest[1];
		this.engine.scan(partition.blockKey(from), (key, block) -> {
			if (partition.hasBlock(key)) {
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
		this.engine.scan(partition.blockKey(0), (key, block) -> {
			if (!partition.hasBlock(key)) {
				return false;
			}
			long first = StoredPartition.firstOf(key);
			String damage = Block.damage(first, block);
			if (damage == null && any[0] && first != partition.next) {
				damage = "the previous block is missing";
			}
			if (damage != null) {
				throw new StorageException("The block of " + partition.key().names() + " at offset " + first + " in "
						+ this.engine.location() + " is damaged (" + damage + "): restore the directory from a copy,"
						+ " or move it away. A Dafka store with an empty directory copies the records of other stores",
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
		StoredPartition partition = StoredPartition.of(key, value);
		this.nextId = Math.max(this.nextId, partition.id + 1);
		this.partitions.put(partition.key(), partition);
	}

	/** Adds the description of a partition to its first records. */
	private void describe(StoredPartition partition, List<Engine.Entry> entries) {
		if (partition.id == StoredPartition.NEW) {
			partition.id = this.nextId++;
			entries.add(partition.description());
		}
	}

}
