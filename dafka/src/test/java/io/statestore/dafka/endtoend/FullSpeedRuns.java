package io.statestore.dafka.endtoend;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;

/**
 * Runs a producer at full speed and closes it after its last record, without a store and
 * with default options. Started manually. Arguments:
 * <ol>
 * <li>number of runs</li>
 * <li>number of records per run</li>
 * <li>processor time that the listener uses for each record, in nanoseconds</li>
 * <li>seconds after which the listener pauses for a second; 0 for never</li>
 * </ol>
 * Ends with exit code 1 after a run in which a record is lost or out of order or no
 * record is delivered for 15 s.
 */
final class FullSpeedRuns implements RecordListener {

	private static final long DELIVERY_TIMEOUT = TimeUnit.SECONDS.toNanos(15);

	private static final byte[] CONTENT = new byte[100];

	private final long busyNanos;

	private final long pauseNanos;

	private volatile long next;

	private volatile long deliveredAt = System.nanoTime();

	private volatile String failure = "";

	private long pauseAt = System.nanoTime();

	private FullSpeedRuns(long busyNanos, long pauseNanos) {
		this.busyNanos = busyNanos;
		this.pauseNanos = pauseNanos;
		this.pauseAt += pauseNanos;
	}

	public static void main(String... args) throws InterruptedException {
		int runs = Integer.parseInt(args[0]);
		for (int run = 1; run <= runs; run++) {
			String failure = new FullSpeedRuns(Long.parseLong(args[2]),
					TimeUnit.SECONDS.toNanos(Integer.parseInt(args[3])))
				.run(run, Integer.parseInt(args[1]));
			if (!failure.isEmpty()) {
				System.out.println(failure);
				System.exit(1);
			}
		}
		System.exit(0);
	}

	private String run(int run, int records) throws InterruptedException {
		try (Cluster cluster = new Cluster();
				Producer producer = Producer.builder(cluster.node()).acknowledge(Acknowledge.NONE).start();
				Consumer consumer = Consumer.builder(cluster.node())
					.topics("t")
					.offsetReset(OffsetReset.EARLIEST)
					.start(this)) {
			producer.send("t", Bytes.wrap(CONTENT));
			awaitRecord(1, consumer);
			long start = System.nanoTime();
			for (int i = 1; i < records && this.failure.isEmpty(); i++) {
				producer.send("t", Bytes.wrap(CONTENT));
			}
			producer.close();
			awaitRecord(records, consumer);
			System.out.printf(Locale.ROOT, "Run %d: %d delivered in %d ms, %d lost, %d overflows, %d fetches%n", run,
					consumer.metrics().delivered(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
					consumer.metrics().lost(), consumer.metrics().overflows(), consumer.metrics().fetches());
			return this.failure;
		}
	}

	private void awaitRecord(long count, Consumer consumer) throws InterruptedException {
		while (this.next < count && this.failure.isEmpty()) {
			if (System.nanoTime() - this.deliveredAt > DELIVERY_TIMEOUT) {
				this.failure = "No record was delivered for 15 s: " + consumer.partitions();
			}
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

	@Override
	public void onRecord(DafkaRecord record) throws InterruptedException {
		if (record.offset() != this.next) {
			this.failure = "Expected record " + this.next + ", received " + record.offset();
		}
		for (long end = System.nanoTime() + this.busyNanos; System.nanoTime() - end < 0;) {
			Thread.onSpinWait();
		}
		this.next = record.offset() + 1;
		this.deliveredAt = System.nanoTime();
		if (this.pauseNanos > 0 && this.deliveredAt - this.pauseAt > 0) {
			TimeUnit.SECONDS.sleep(1);
			this.pauseAt = System.nanoTime() + this.pauseNanos;
		}
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		this.failure = "Lost " + count + " records from " + first;
	}

}
