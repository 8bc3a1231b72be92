package io.statestore.dafka.node.internal;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One node of each kind, with canary records that show whether every node still works.
 */
final class AttackedCluster implements AutoCloseable {

	private static final String TOPIC = "canary";

	private final Set<String> received = ConcurrentHashMap.newKeySet();

	private final @Nullable TestKeys keys;

	private final Tower tower;

	private final Store store;

	private final Producer producer;

	private final Consumer consumer;

	private int sent;

	AttackedCluster() {
		this(null);
	}

	/** Creates a cluster, with CURVE unless {@code keys} is {@code null}. */
	AttackedCluster(@Nullable TestKeys keys) {
		this.keys = keys;
		this.tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).curve(curve("tower")).start();
		this.store = Store.builder(options("store")).start();
		this.producer = Producer.builder(options("producer")).headInterval(Duration.ofMillis(100)).start();
		this.consumer = consumer(this.received);
	}

	private @Nullable CurveOptions curve(String node) {
		return (this.keys != null) ? this.keys.options(node) : null;
	}

	private NodeOptions options(String node) {
		return NodeOptions.builder()
			.tower(this.tower.address())
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(50))
			.peerTimeout(Duration.ofMillis(500))
			.curve(curve(node))
			.build();
	}

	private Consumer consumer(Set<String> received) {
		return Consumer.builder(options("consumer"))
			.topics(TOPIC)
			.offsetReset(OffsetReset.EARLIEST)
			.partitionDiscoveryInterval(Duration.ofMillis(300))
			.start((record) -> received.add(record.content().toText()));
	}

	/** Returns the ports on which nodes listen, by kind of node. */
	Map<String, Integer> ports() {
		return Map.of("tower in", this.tower.address().inPort(), "tower out", this.tower.address().outPort(), "store",
				this.store.port(), "producer", this.producer.port(), "consumer", this.consumer.port());
	}

	/** Returns the type of socket that connects to a port. */
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
	 * Sends a record and waits until the store and the consumer have received it.
	 */
	void assertServes() {
		String record = "record " + this.sent++;
		this.producer.send(TOPIC, Bytes.of(record)).orTimeout(30, TimeUnit.SECONDS).join();
		await(record).until(() -> this.received.contains(record));
		assertNothingFailed();
	}

	/** Checks that a new node finds the others and receives all records. */
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
