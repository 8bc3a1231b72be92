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

import static org.awaitility.Awaitility.await;

/**
 * Runs of a producer at full speed that closes after its last record, without a store,
 * and with default options. To be run by hand. The arguments are the number of runs, the
 * records of each run, and the nanoseconds for which the listener keeps its thread busy
 * with each record. Ends with exit code 1 after a run in which a record is lost or out of
 * order.
 */
final class FullSpeedRuns implements RecordListener {

	private static final byte[] CONTENT = new byte[100];

	private final long busyNanos;

	private volatile long next;

	private volatile String wrong = "";

	private FullSpeedRuns(long busyNanos) {
		this.busyNanos = busyNanos;
	}

	public static void main(String... args) {
		int runs = Integer.parseInt(args[0]);
		for (int run = 1; run <= runs; run++) {
			String wrong = new FullSpeedRuns(Long.parseLong(args[2])).run(run, Integer.parseInt(args[1]));
			if (!wrong.isEmpty()) {
				System.out.println(wrong);
				System.exit(1);
			}
		}
		System.exit(0);
	}

	private String run(int run, int records) {
		try (Cluster cluster = new Cluster();
				Producer producer = Producer.builder(cluster.node()).acknowledge(Acknowledge.NONE).start();
				Consumer consumer = Consumer.builder(cluster.node())
					.topics("t")
					.offsetReset(OffsetReset.EARLIEST)
					.start(this)) {
			producer.send("t", Bytes.wrap(CONTENT));
			await("the first record").until(() -> this.next == 1);
			long start = System.nanoTime();
			for (int i = 1; i < records; i++) {
				producer.send("t", Bytes.wrap(CONTENT));
			}
			producer.close();
			await("all records").until(() -> this.next == records || !this.wrong.isEmpty());
			System.out.printf(Locale.ROOT, "Run %d: %d delivered in %d ms, %d lost, %d overflows, %d fetches%n", run,
					consumer.metrics().delivered(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
					consumer.metrics().lost(), consumer.metrics().overflows(), consumer.metrics().fetches());
			return this.wrong;
		}
	}

	@Override
	public void onRecord(DafkaRecord record) {
		if (record.offset() != this.next) {
			this.wrong = "Expected record " + this.next + ", received " + record.offset();
		}
		for (long end = System.nanoTime() + this.busyNanos; System.nanoTime() - end < 0;) {
			Thread.onSpinWait();
		}
		this.next = record.offset() + 1;
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		this.wrong = "Lost " + count + " records from " + first;
	}

}
