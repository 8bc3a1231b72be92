package io.statestore.history;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.consumer.PartitionStatus;
import org.jspecify.annotations.Nullable;

/** Source that reads a topic over the network, with a consumer for each cursor. */
final class TopicSource implements Source {

	private final NodeOptions network;

	private final String topic;

	private final @Nullable String partition;

	TopicSource(NodeOptions network, String topic, @Nullable String partition) {
		this.network = network;
		this.topic = topic;
		this.partition = partition;
	}

	@Override
	public Cursor open(@Nullable Position from) {
		if (from == null) {
			return new TopicCursor(this.partition, Map.of());
		}
		if (!from.topic().equals(this.topic) || (this.partition != null && !from.partition().equals(this.partition))) {
			throw new HistoryException("The position " + from + " does not belong to topic '" + this.topic + '\''
					+ ((this.partition != null) ? " and partition " + this.partition : ""));
		}
		return new TopicCursor(from.partition(),
				Map.of(new TopicPartition(from.topic(), from.partition()), from.offset()));
	}

	/** Cursor with a queue of limited size. The consumer waits while it is full. */
	private final class TopicCursor implements Cursor, RecordListener {

		private final RecordQueue queue = new RecordQueue();

		private final AtomicReference<@Nullable String> partition = new AtomicReference<>();

		/** Whether the partition was specified. */
		private final boolean chosen;

		private final Consumer consumer;

		TopicCursor(@Nullable String partition, Map<TopicPartition, Long> offsets) {
			this.partition.set(partition);
			this.chosen = partition != null;
			this.consumer = Consumer.builder(TopicSource.this.network)
				.topics(TopicSource.this.topic)
				.offsetReset(OffsetReset.EARLIEST)
				.offsets(beginningAt(offsets))
				.start(this);
		}

		@Override
		public void onRecord(DafkaRecord record) throws InterruptedException {
			this.partition.compareAndSet(null, record.partition());
			if (record.partition().equals(this.partition.get())) {
				this.queue.put(record);
			}
			else if (!this.chosen) {
				this.queue.fail("Topic '" + record.topic() + "' has the histories of several stores, "
						+ record.partition() + " and " + this.partition.get() + ": choose one with 'partition'");
			}
		}

		@Override
		public @Nullable DafkaRecord next(long nanos) throws InterruptedException {
			DafkaRecord record = this.queue.take(nanos);
			Throwable failure = this.consumer.failure();
			if (record == null && failure != null) {
				throw new HistoryException("Reading the history failed: open the changes again", failure);
			}
			return record;
		}

		@Override
		public long end() {
			long end = -1;
			for (Map.Entry<TopicPartition, PartitionStatus> known : this.consumer.partitions().entrySet()) {
				String mine = this.partition.get();
				if (mine == null || known.getKey().partition().equals(mine)) {
					end = Math.max(end, known.getValue().head() + 1);
				}
			}
			return (end > 0) ? end : -1;
		}

		@Override
		public void close() {
			this.queue.fail("The stream is closed: open the changes again to continue");
			this.consumer.close();
		}

	}

	private static OffsetStore beginningAt(Map<TopicPartition, Long> offsets) {
		return new OffsetStore() {

			@Override
			public Map<TopicPartition, Long> load() {
				return new HashMap<>(offsets);
			}

			@Override
			public void save(Map<TopicPartition, Long> next) {
				// The reader keeps its position.
			}

		};
	}

}
