package io.statestore.dafka.endtoend;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.node.internal.TestKeys;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Networks with CURVE. */
@Timeout(120)
class CurveTests {

	private static final String TOPIC = "topic";

	@TempDir

	Path directory;

	private TestKeys keys;

	private Tower tower;

	@BeforeEach
	void startTower() {
		this.keys = new TestKeys(this.directory, "tower", "store", "producer", "consumer", "late");
		this.tower = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(0)
			.outPort(0)
			.curve(this.keys.options("tower"))
			.start();
	}

	@AfterEach
	void stopTower() {
		this.tower.close();
	}

	@Test
	void deliversRecords() {
		Set<String> received = ConcurrentHashMap.newKeySet();
		try (Store store = store();
				Producer producer = producer(this.keys.options("producer"));
				Consumer consumer = consumer(this.keys.options("consumer"), received)) {
			for (int i = 0; i < 1_000; i++) {
				producer.send(TOPIC, Bytes.of("record " + i));
			}
			producer.send(TOPIC, Bytes.of("last")).orTimeout(30, TimeUnit.SECONDS).join();
			await().until(() -> received.size() == 1_001);
			assertThat(consumer.metrics().node().refused()).isZero();
			assertThat(store.metrics().node().refused()).isZero();
		}
	}

	@ParameterizedTest
	@CsvSource({ "stranger, ", "missing, ", "producer, wrong tower", "without, " })
	void refusesUnauthenticatedNode(String kind, String detail) {
		Set<String> received = ConcurrentHashMap.newKeySet();
		try (Consumer consumer = consumer(this.keys.options("consumer"), received);
				Producer producer = producer(optionsOf(kind, detail))) {
			producer.send(TOPIC, Bytes.of("forged"));
			await("refused").until(() -> this.tower.refused() + producer.metrics().node().refused() > 0);
			try (Producer valid = producer(this.keys.options("producer"))) {
				valid.send(TOPIC, Bytes.of("valid"));
				await().until(() -> received.contains("valid"));
			}
			assertThat(received).containsExactly("valid");
			assertThat(producer.metrics().node().peers()).isZero();
		}
	}

	@Test
	void relaysOnlyBeaconsNodesSendThemselves() {
		TestKeys.Pair towerKeys = this.keys.add("tower");
		TestKeys.Pair hostile = this.keys.add("hostile");
		TestKeys.Pair other = this.keys.add("other");
		try (Tower tower = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(0)
			.outPort(0)
			.curve(this.keys.options("tower"))
			.start(); ZContext context = new ZContext()) {
			ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
			// JeroMQ may fail to poll a new connection until this interval ends.
			socket.setHandshakeIvl(1_000);
			socket.setCurvePublicKey(hostile.publicKey().toArray());
			socket.setCurveSecretKey(hostile.secretKey());
			socket.setCurveServerKey(towerKeys.publicKey().toArray());
			socket.connect("tcp://127.0.0.1:" + tower.address().inPort());
			assertThat(socket.recv()).as("subscription of the tower").isNotNull();
			for (TestKeys.Pair announced : List.of(other, hostile)) {
				TestBeacons.send(socket,
						TestBeacons.announcement("id" + TestBeacons.z85(announced.publicKey()), "127.0.0.1", 1));
			}
			await().until(() -> tower.beacons() == 1);
			assertThat(tower.malformed()).isEqualTo(1);
		}
	}

	private CurveOptions optionsOf(String kind, String detail) {
		if (kind.equals("without")) {
			return null;
		}
		if (detail != null) {
			this.keys.add("other");
			return this.keys.options(kind).withTowers("other");
		}
		this.keys.stranger(kind);
		return this.keys.options(kind);
	}

	@Test
	void disconnectsRemovedNode() {
		Set<String> received = ConcurrentHashMap.newKeySet();
		try (Consumer consumer = consumer(this.keys.options("consumer"), received);
				Producer late = producer(this.keys.options("late"))) {
			late.send(TOPIC, Bytes.of("first"));
			await().until(() -> received.contains("first"));
			this.keys.remove("late");
			// There is one connection in each direction.
			await("the connections end").until(() -> consumer.metrics().node().refused() >= 2);
			late.send(TOPIC, Bytes.of("second"));
			try (Producer valid = producer(this.keys.options("producer"))) {
				valid.send(TOPIC, Bytes.of("valid"));
				await().until(() -> received.contains("valid"));
			}
			assertThat(received).doesNotContain("second");
		}
	}

	/** At first, the tower refuses the node, which retries after ten seconds. */
	@Tag("long")
	@Tag("nightly")
	@Test
	void connectsNodeAddedWhileTowerRuns() {
		Set<String> received = ConcurrentHashMap.newKeySet();
		this.keys.add("added");
		try (Consumer consumer = consumer(this.keys.options("consumer"), received);
				Producer added = producer(this.keys.options("added"))) {
			added.send(TOPIC, Bytes.of("first"));
			await().until(() -> received.contains("first"));
			assertThat(consumer.failure()).isNull();
		}
	}

	private Store store() {
		return Store.builder(node(this.keys.options("store"))).start();
	}

	private Producer producer(CurveOptions curve) {
		return Producer.builder(node(curve)).headInterval(Duration.ofMillis(100)).closeTimeout(Duration.ZERO).start();
	}

	private Consumer consumer(CurveOptions curve, Set<String> received) {
		return Consumer.builder(node(curve))
			.topics(TOPIC)
			.offsetReset(OffsetReset.EARLIEST)
			.partitionDiscoveryInterval(Duration.ofMillis(300))
			.start((record) -> received.add(record.content().toText()));
	}

	private NodeOptions node(CurveOptions curve) {
		return NodeOptions.builder()
			.tower(this.tower.address())
			.bindHost("127.0.0.1")
			.beaconInterval(Duration.ofMillis(50))
			.peerTimeout(Duration.ofMillis(200))
			.curve(curve)
			.build();
	}

}
