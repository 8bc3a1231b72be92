package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.node.internal.ZmtpClient;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Floods of beacons for invented nodes, which must not delay records. */
@Tag("long")
@Timeout(180)
@Tag("nightly")
class BeaconFloodTests {

	private static final int BEACONS = 15_000;

	/** Generous limit: on an idle machine, the delay is a few milliseconds. */
	private static final Duration MAX_DELAY = Duration.ofSeconds(2);

	private static final boolean PRINT = Boolean.getBoolean("beacon.flood.print");

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	private final NodeOptions options = NodeOptions.builder().tower(this.tower.address()).bindHost("127.0.0.1").build();

	private final ConcurrentLinkedQueue<Long> delays = new ConcurrentLinkedQueue<>();

	@Test
	void beaconsFromRandomAddressesDoNotDelayRecords() {
		try (this.tower;
				Store store = Store.builder(this.options).start();
				Consumer consumer = consumer();
				Producer producer = Producer.builder(this.options).start()) {
			await("a record").until(() -> {
				sendTime(producer);
				return !this.delays.isEmpty();
			});
			long end = System.nanoTime() + WARM_UP.toNanos();
			sendWhile(producer, () -> System.nanoTime() < end);
			p99("without flood");
			this.delays.clear();
			Thread flood = new Thread(this::flood);
			flood.start();
			sendWhile(producer, flood::isAlive);
			await("the tower has passed on all beacons").until(() -> this.tower.beacons() >= BEACONS);
			assertThat(p99("with flood")).isLessThan(MAX_DELAY);
			List.of(store.metrics().node(), consumer.metrics().node(), producer.metrics().node())
				.forEach((node) -> assertThat(node.peers()).isLessThan(1_000));
			try (Consumer late = consumer()) {
				await("a late consumer finds the others").until(() -> {
					sendTime(producer);
					return late.metrics().delivered() > 0;
				});
			}
		}
	}

	@Test
	void nodeIsFoundDuringFloodFromAnotherHost() throws InterruptedException {
		AtomicBoolean ended = new AtomicBoolean();
		Thread flood = new Thread(() -> repeatFlood(ended));
		try (this.tower; Consumer consumer = consumer()) {
			flood.start();
			await("candidates have no room").until(() -> this.tower.beacons() >= 2 * BEACONS);
			long start = System.nanoTime();
			try (Producer producer = Producer.builder(this.options).acknowledge(Acknowledge.NONE).start()) {
				await("a record").until(() -> {
					sendTime(producer);
					return !this.delays.isEmpty();
				});
				Duration time = Duration.ofNanos(System.nanoTime() - start);
				if (PRINT) {
					System.out.printf("found during flood: %,d ms, %s%n", time.toMillis(), consumer.metrics().node());
				}
				assertThat(time).isLessThan(Duration.ofSeconds(30));
			}
		}
		finally {
			ended.set(true);
			flood.join();
		}
	}

	/** Sends 15,000 beacons per second for 5,000 nodes that do not exist. */
	private void repeatFlood(AtomicBoolean ended) {
		try (ZmtpClient client = ZmtpClient.handshake(this.tower.address().inPort(), "PUB")) {
			for (int i = 0; !ended.get(); i = (i + 1) % 5_000) {
				client.send(ZmtpClient.message(TestBeacons.announcement("flood" + i, "127.0.0.2", 10_000 + i)));
				if (i % 150 == 0) {
					LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
				}
			}
		}
	}

	private Consumer consumer() {
		return Consumer.builder(this.options)
			.topics("times")
			.start((record) -> this.delays.add(System.nanoTime() - Long.parseLong(record.content().toText())));
	}

	private void sendWhile(Producer producer, BooleanSupplier condition) {
		while (condition.getAsBoolean()) {
			sendTime(producer);
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}
	}

	private static void sendTime(Producer producer) {
		producer.send("times", Bytes.of(String.valueOf(System.nanoTime())));
	}

	private Duration p99(String when) {
		long[] sorted = this.delays.stream().mapToLong(Long::longValue).sorted().toArray();
		if (PRINT) {
			System.out.printf("%s: %,d records, p50 %,d us, p99 %,d us, max %,d us%n", when, sorted.length,
					sorted[sorted.length / 2] / 1_000, sorted[sorted.length * 99 / 100] / 1_000,
					Arrays.stream(sorted).max().orElse(0) / 1_000);
		}
		return Duration.ofNanos(sorted[sorted.length * 99 / 100]);
	}

	private void flood() {
		Random random = new Random(1);
		try (ZmtpClient client = ZmtpClient.handshake(this.tower.address().inPort(), "PUB")) {
			for (int i = 0; i < BEACONS; i++) {
				String host = random.nextBoolean() ? "127." + octet(random) + '.' + octet(random) + ".1"
						: "10." + octet(random) + '.' + octet(random) + '.' + octet(random);
				client
					.send(ZmtpClient.message(TestBeacons.announcement("flood" + i, host, 1 + random.nextInt(65_535))));
			}
			await("the tower has passed on all beacons").until(() -> this.tower.beacons() >= BEACONS);
		}
	}

	private static int octet(Random random) {
		return random.nextInt(255);
	}

}
