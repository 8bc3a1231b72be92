package io.statestore.dafka.endtoend;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.consumer.OffsetStore;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.reading.internal.Command;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Default intervals of nodes. The test controls the nodes' clock and acts as tower and
 * subscriber with raw sockets.
 */
@Timeout(120)
class DefaultIntervalTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	private static final Bytes TOPIC = Bytes.of("t");

	private final AtomicLong now = new AtomicLong();

	private final ZContext context = new ZContext();

	/** Port to which nodes send beacons. */
	private final ZMQ.Socket beacons = socket(SocketType.XSUB);

	private final int beaconPort = this.beacons.bindToRandomPort("tcp://127.0.0.1");

	private final ZMQ.Socket sightings = socket(SocketType.XPUB);

	private final int sightingPort = this.sightings.bindToRandomPort("tcp://127.0.0.1");

	private final ZMQ.Socket subscriber = socket(SocketType.SUB);

	private long sent;

	@AfterEach
	void close() {
		this.context.close();
	}

	@Test
	void producerSendsHeadEachSecond() {
		try (Producer producer = producer()) {
			subscribeToHeads(producer);
			subscribeToRecords(producer);
			for (int second = 1; second <= 3; second++) {
				this.now.addAndGet(SECOND - MILLISECOND);
				// A head that is due would arrive before the second record.
				send(producer);
				send(producer);
				this.now.addAndGet(MILLISECOND);
				assertThat(receive()).isEqualTo(new Command.Head(Bytes.of(producer.address()), TOPIC, this.sent - 1));
			}
		}
	}

	@Test
	void nodeSendsBeaconEachSecond() {
		try (Producer producer = producer()) {
			this.subscriber.connect("tcp://127.0.0.1:" + producer.port());
			subscribeToRecords(producer);
			this.beacons.send(new byte[] { 1, 'B' });
			await("the first beacon").until(() -> {
				this.now.addAndGet(MILLISECOND);
				return countBeacons() > 0;
			});
			send(producer);
			send(producer);
			countBeacons();
			for (int second = 1; second <= 3; second++) {
				// The last beacon is at most a few milliseconds old.
				this.now.addAndGet(SECOND - 100 * MILLISECOND);
				send(producer);
				send(producer);
				assertThat(countBeacons()).isZero();
				this.now.addAndGet(100 * MILLISECOND);
				await("a beacon").until(() -> countBeacons() == 1);
			}
		}
	}

	@Test
	void consumerSavesOffsetsEachSecond() {
		long started = System.nanoTime();
		CompletableFuture<Long> saved = new CompletableFuture<>();
		try (Cluster cluster = new Cluster();
				Producer producer = Producer.builder(cluster.node()).acknowledge(Acknowledge.NONE).start();
				Consumer consumer = Consumer.builder(cluster.node())
					.topics("t")
					.offsetReset(OffsetReset.EARLIEST)
					.offsets(new SavingOffsets(saved))
					.start((record) -> {
					})) {
			producer.send("t", Bytes.of("content"));
			assertThat(saved.orTimeout(60, TimeUnit.SECONDS).join() - started).isGreaterThanOrEqualTo(SECOND);
			assertThat(consumer.failure()).isNull();
		}
	}

	private Producer producer() {
		NodeOptions node = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", this.beaconPort, this.sightingPort))
			.bindHost("127.0.0.1")
			.ticker(this.now::get)
			.build();
		return Producer.builder(node).acknowledge(Acknowledge.NONE).closeTimeout(Duration.ZERO).start();
	}

	/** Waits for the head that a producer with records sends to a new subscriber. */
	private void subscribeToHeads(Producer producer) {
		producer.send(TOPIC.toText(), Bytes.EMPTY).orTimeout(30, TimeUnit.SECONDS).join();
		this.sent++;
		this.subscriber.subscribe("H");
		this.subscriber.connect("tcp://127.0.0.1:" + producer.port());
		assertThat(receive()).isInstanceOf(Command.Head.class);
	}

	/** Subscribes to records, then waits until all sent records have arrived. */
	private void subscribeToRecords(Producer producer) {
		this.subscriber.subscribe("M");
		await("the subscription").until(() -> {
			producer.send(TOPIC.toText(), Bytes.EMPTY);
			this.sent++;
			return TestBeacons.receive(this.subscriber) != null;
		});
		send(producer);
	}

	/** Sends a record and waits until it has arrived. */
	private void send(Producer producer) {
		producer.send(TOPIC.toText(), Bytes.EMPTY);
		this.sent++;
		long sequence;
		do {
			Command command = receive();
			assertThat(command).isInstanceOf(Command.Record.class);
			sequence = ((Command.Record) command).sequence();
		}
		while (sequence < this.sent - 1);
	}

	private @Nullable Command receive() {
		this.subscriber.setReceiveTimeOut(30_000);
		byte @Nullable [] header = this.subscriber.recv();
		assertThat(header).as("a command within 30 s").isNotNull();
		return Command.decode(header, this.subscriber.hasReceiveMore() ? this.subscriber.recv() : null);
	}

	private int countBeacons() {
		int count = 0;
		while (TestBeacons.receive(this.beacons) != null) {
			count++;
		}
		return count;
	}

	private ZMQ.Socket socket(SocketType type) {
		ZMQ.Socket socket = this.context.createSocket(type);
		socket.setHandshakeIvl(1_000);
		socket.setLinger(0);
		return socket;
	}

	/** Completes a future when it first saves offsets. */
	private record SavingOffsets(CompletableFuture<Long> saved) implements OffsetStore {

		@Override
		public Map<TopicPartition, Long> load() {
			return Map.of();
		}

		@Override
		public void save(Map<TopicPartition, Long> next) {
			this.saved.complete(System.nanoTime());
		}

	}

}
