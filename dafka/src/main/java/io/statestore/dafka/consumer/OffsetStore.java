package io.statestore.dafka.consumer;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.dafka.TopicPartition;

/**
 * Stores a consumer's progress: for each partition, the offset of its next record.
 * Implementations need not be thread-safe, because a consumer never calls them
 * concurrently.
 */
public interface OffsetStore {

	/**
	 * Returns all offsets. Called once, when the consumer starts.
	 * @return offset of the next record, by partition
	 */
	Map<TopicPartition, Long> load();

	/**
	 * Stores offsets. Offsets of other partitions remain unchanged.
	 * @param next offset of the next record, by partition
	 * @throws RuntimeException if storing fails; the failure is logged, and the next call
	 * includes these offsets
	 */
	void save(Map<TopicPartition, Long> next);

	/**
	 * Returns a store that keeps offsets in memory.
	 * @return an empty store
	 */
	static OffsetStore memory() {
		Map<TopicPartition, Long> offsets = new ConcurrentHashMap<>();
		return new OffsetStore() {

			@Override
			public Map<TopicPartition, Long> load() {
				return Map.copyOf(offsets);
			}

			@Override
			public void save(Map<TopicPartition, Long> next) {
				offsets.putAll(next);
			}

		};
	}

	/**
	 * Returns a store in a file. Only one consumer at a time may use the file.
	 * @param file the file, which is created if necessary
	 * @return a store that survives restarts
	 */
	static OffsetStore file(Path file) {
		return new FileOffsetStore(file);
	}

}
