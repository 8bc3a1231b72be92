package io.statestore.dafka.consumer;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.dafka.TopicPartition;

/**
 * Where a consumer keeps how far it got: for each partition the offset of the next
 * record. Called by one thread at a time.
 */
public interface OffsetStore {

	/** Everything kept; called once, when the consumer starts. */
	Map<TopicPartition, Long> load();

	/**
	 * Keeps new offsets besides those of other partitions.
	 * @throws RuntimeException if it cannot; it is logged and tried again
	 */
	void save(Map<TopicPartition, Long> next);

	/** Kept as long as the object lives. */
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
	 * Kept in a file, which is replaced as a whole. One consumer at a time may use it.
	 */
	static OffsetStore file(Path file) {
		return new FileOffsetStore(file);
	}

}
