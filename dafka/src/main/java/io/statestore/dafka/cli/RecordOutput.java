package io.statestore.dafka.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetStore;
import org.jspecify.annotations.Nullable;

/**
 * Listener that writes records to a stream. Closes the consumer after a given number of
 * records or if writing fails. Thread-safe.
 */
final class RecordOutput implements RecordListener {

	private final OutputStream out;

	private final RecordFormat format;

	private final long limit;

	private final Messages messages;

	private final CompletableFuture<Consumer> consumer = new CompletableFuture<>();

	private final AtomicLong count = new AtomicLong();

	private volatile @Nullable IOException failure;

	/**
	 * Creates an output.
	 * @param out a buffered stream
	 * @param limit number of records after which to stop
	 */
	RecordOutput(OutputStream out, RecordFormat format, long limit, Messages messages) {
		this.out = out;
		this.format = format;
		this.limit = limit;
		this.messages = messages;
	}

	/** Starts a consumer that saves the offset of a record only after writing it. */
	Consumer start(Consumer.Builder builder, OffsetStore offsets) {
		Consumer started = builder.offsets(new OffsetStore() {

			@Override
			public Map<TopicPartition, Long> load() {
				return offsets.load();
			}

			@Override
			public void save(Map<TopicPartition, Long> next) {
				flush();
				if (failure() == null) {
					offsets.save(next);
				}
			}

		}).start(this);
		this.consumer.complete(started);
		return started;
	}

	@Override
	public void onRecord(DafkaRecord record) {
		locked(() -> this.format.write(record, this.out));
		this.count.incrementAndGet();
		if (isDone()) {
			// The listener closes the consumer, so that no other record arrives.
			this.consumer.join().close();
		}
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		this.messages.info("Lost %d records of %s in %s, from offset %d on: retention removed them, or their producer "
				+ "ended before a store had them", count, partition.topic(), partition.partition(), first);
	}

	void flush() {
		locked(this.out::flush);
	}

	private synchronized void locked(Action action) {
		try {
			if (this.failure == null) {
				action.run();
			}
		}
		catch (IOException ex) {
			this.failure = ex;
		}
	}

	/** Returns whether writing has ended. */
	boolean isDone() {
		return this.failure != null || this.count.get() >= this.limit;
	}

	/** Returns the number of written records. */
	long count() {
		return this.count.get();
	}

	/** Returns the exception that ended writing, or {@code null} if there is none. */
	@Nullable IOException failure() {
		return this.failure;
	}

	@FunctionalInterface
	private interface Action {

		void run() throws IOException;

	}

}
