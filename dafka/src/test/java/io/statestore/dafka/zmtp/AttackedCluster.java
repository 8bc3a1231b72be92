package io.statestore.dafka.zmtp;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One node of each kind, and canary records that show whether each of them still works.
 */
final class AttackedCluster implements AutoCloseable {

	private static final String TOPIC = "canary";

	private final Set<String> received = ConcurrentHashMap.newKeySet();

	private final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	private final Store store = Store.builder(options()).start();

	private final Producer producer = Producer.builder(options()).headInterval(Duration.ofMillis(100)).start();

	private final Consumer consumer = consumer(this.received);

	private int sent;

	private NodeOptions options() {
		return NodeOptions.builder()
			.tower(this.tower.address())
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(50))
			.peerTimeout(Duration.ofMillis(500))
			.build();
	}

	private Consumer consumer(Set<String> received) {
		return Consumer.builder(options())
			.topics(TOPIC)
			.offsetReset(OffsetReset.EARLIEST)
			.headsInterval(Duration.ofMillis(300))
			.start((record) -> received.add(record.content().toText()));
	}

	/** Ports on which nodes listen, by kind of node. */
	Map<String, Integer> ports() {
		return Map.of("tower in", this.tower.address().inPort(), "tower out", this.tower.address().outPort(), "store",
				this.store.port(), "producer", this.producer.port(), "consumer", this.consumer.port());
	}

	/** Returns the type of the sockets that connect to a port. */
	static String peerType(String node) {
		return node.equals("tower in") ? "PUB" : "SUB";
	}

	int port(String node) {
		return Objects.requireNonNull(ports().get(node));
	}

	Tower tower() {
		return this.tower;
	}

	/**
	 * Sends a record, and waits until the store and the consumer have received it.
	 */
	void assertServes() {
		String record = "record " + this.sent++;
		this.producer.send(TOPIC, Bytes.of(record)).orTimeout(30, TimeUnit.SECONDS).join();
		await(record).until(() -> this.received.contains(record));
		assertNothingFailed();
	}

	/** Checks that a new node finds the others, and receives all records. */
	void assertAcceptsNodes() {
		Set<String> late = ConcurrentHashMap.newKeySet();
		try (Consumer consumer = consumer(late)) {
			await("a late consumer gets all records").until(() -> late.containsAll(this.received));
		}
	}

	void assertNothingFailed() {
		assertThat(this.tower.failure()).isNull();
		assertThat(this.store.failure()).isNull();
		assertThat(this.producer.failure()).isNull();
		assertThat(this.consumer.failure()).isNull();
	}

	@Override
	public void close() {
		this.consumer.close();
		this.producer.close();
		this.store.close();
		this.tower.close();
	}

}
