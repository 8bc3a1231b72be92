package io.statestore.dafka.consumer;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.dafka.TopicPartition;

/**
 * Storage for the progress of a consumer: the offset of the next record of each
 * partition. Implementations need not be thread-safe, because a consumer never calls them
 * concurrently.
 */
public interface OffsetStore {

	/**
	 * Returns all offsets. Called once, when the consumer starts.
	 * @return the next offset of each partition
	 */
	Map<TopicPartition, Long> load();

	/**
	 * Stores offsets. Those of other partitions remain unchanged.
	 * @param next the next offset of each partition
	 * @throws RuntimeException if storing fails. The failure is logged, and the offsets
	 * are passed again with the next call
	 */
	void save(Map<TopicPartition, Long> next);

	/**
	 * Returns a store in memory.
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
	 * Returns a store in a file, which is replaced atomically. Only one consumer at a
	 * time may use it.
	 * @param file the file
	 * @return the store
	 */
	static OffsetStore file(Path file) {
		return new FileOffsetStore(file);
	}

}
