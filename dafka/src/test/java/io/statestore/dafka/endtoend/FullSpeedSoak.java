package io.statestore.dafka.endtoend;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.ConsumerMetrics;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;

/**
 * A producer at full speed, no store, and a consumer with default options whose listener
 * stops for a while now and then. To be run by hand, with the seconds it is to last and
 * after how many of them the listener stops; ends as soon as nothing is delivered for 15
 * s, or a record is neither delivered nor told to be lost.
 */
final class FullSpeedSoak implements RecordListener {

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(15);

	private static final byte[] CONTENT = new byte[100];

	private final AtomicLong delivered = new AtomicLong();

	private final long stopNanos;

	private volatile long next = -1;

	private volatile long deliveredAt = System.nanoTime();

	private long stopAt;

	private volatile String wrong = "";

	private FullSpeedSoak(long stopNanos) {
		this.stopNanos = stopNanos;
		this.stopAt = System.nanoTime() + stopNanos;
	}

	public static void main(String... args) throws InterruptedException {
		int seconds = Integer.parseInt(args[0]);
		new FullSpeedSoak(TimeUnit.SECONDS.toNanos(Integer.parseInt(args[1]))).run(seconds);
	}

	private void run(int seconds) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
		try (Cluster cluster = new Cluster();
				Producer producer = Producer.builder(cluster.node()).acknowledge(Acknowledge.NONE).start();
				Consumer consumer = Consumer.builder(cluster.node()).topics("t").start(this)) {
			Thread sender = new Thread(() -> {
				while (System.nanoTime() - end < 0 && this.wrong.isEmpty()) {
					producer.send("t", Bytes.wrap(CONTENT));
				}
			});
			sender.start();
			while (System.nanoTime() - end < 0 && this.wrong.isEmpty()) {
				TimeUnit.SECONDS.sleep(1);
				ConsumerMetrics metrics = consumer.metrics();
				System.out.println("sent " + producer.metrics().sent() + ", delivered " + this.delivered + ", lost "
						+ metrics.lost() + ", overflows " + metrics.overflows() + ", fetches " + metrics.fetches()
						+ ", stuck " + metrics.stuck() + ", lag " + metrics.lag());
				if (System.nanoTime() - this.deliveredAt > PATIENCE) {
					this.wrong = "Nothing is delivered any more: " + consumer.partitions();
				}
			}
			sender.join();
		}
		System.out.println(this.wrong.isEmpty() ? "Well" : this.wrong);
		System.exit(this.wrong.isEmpty() ? 0 : 1);
	}

	@Override
	public void onRecord(DafkaRecord record) throws InterruptedException {
		if (this.next >= 0 && record.offset() != this.next) {
			this.wrong = "Not " + this.next + " but " + record.offset();
		}
		this.next = record.offset() + 1;
		this.delivered.incrementAndGet();
		this.deliveredAt = System.nanoTime();
		if (this.deliveredAt - this.stopAt > 0) {
			TimeUnit.SECONDS.sleep(1);
			this.stopAt = System.nanoTime() + this.stopNanos;
		}
	}

	@Override
	public void onLost(TopicPartition partition, long first, long count) {
		if (first != this.next) {
			this.wrong = "Lost from " + first + " where " + this.next + " is next";
		}
		this.next = first + count;
	}

}
