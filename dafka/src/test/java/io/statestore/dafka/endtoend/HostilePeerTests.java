package io.statestore.dafka.endtoend;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.dafka.node.internal.TestBeacons;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.consumer.Completeness;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.store.Store;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

import static io.statestore.dafka.endtoend.StreamingTests.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nodes whose peers are raw sockets that send malformed messages. */
@Timeout(120)
class HostilePeerTests {

	private static final Bytes ADDRESS = Bytes.of("0123456789ABCDEF0123456789ABCDEF");

	private static final Bytes TOPIC = Bytes.of("t");

	@Test
	void dropsMalformedFramesAndStoresOthers() {
		try (Cluster cluster = new Cluster(); Store store = cluster.store().start(); Peer peer = new Peer(cluster)) {
			peer.awaitSubscription("M");
			byte[] record = Command.record(ADDRESS, TOPIC).at(0);
			peer.send(record);
			peer.send(record, new byte[1], new byte[1]);
			peer.send(Arrays.copyOf(record, record.length - 1), new byte[1]);
			byte[] version = record.clone();
			version[3] = 2;
			peer.send(version, new byte[1]);
			byte[] name = new byte[5_000];
			Arrays.fill(name, (byte) 'x');
			peer.send(("F" + new String(name, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII));
			peer.send(new byte[] { 'M' }, new byte[0]);
			peer.send(record, "content".getBytes(StandardCharsets.US_ASCII));
			await("the record").until(() -> store.metrics().stored() == 1);
			assertThat(store.metrics().node().malformed()).isEqualTo(6);
			assertThat(store.failure()).isNull();
		}
	}

	@Test
	void acknowledgesRepeatedRecordsAndHeads() {
		try (Cluster cluster = new Cluster(); Store store = cluster.store().start(); Peer peer = new Peer(cluster)) {
			peer.connectTo(store.port(), "K");
			peer.awaitSubscription("M");
			Command acknowledged = new Command.Ack(ADDRESS, TOPIC, 0);
			peer.send(Command.record(ADDRESS, TOPIC).at(0), new byte[1]);
			assertThat(peer.receive()).isEqualTo(acknowledged);
			peer.send(Command.record(ADDRESS, TOPIC).at(0), new byte[1]);
			assertThat(peer.receive()).isEqualTo(acknowledged);
			peer.send(new Command.Head(ADDRESS, TOPIC, 0).encode());
			assertThat(peer.receive()).isEqualTo(acknowledged);
			assertThat(store.metrics().duplicates()).isOne();
		}
	}

	@Test
	void storeGreetsConsumersAndSendsHeads() {
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().start();
				Producer producer = cluster.producer().start();
				Peer peer = new Peer(cluster)) {
			send(producer, "t", 0, 5).forEach(CompletableFuture::join);
			peer.connectTo(store.port(), "L" + ADDRESS.toText(), "E" + ADDRESS.toText(), "D" + ADDRESS.toText());
			assertThat(peer.receive()).isEqualTo(new Command.StoreHello(ADDRESS, Bytes.of(store.address())));
			peer.awaitSubscription("G");
			Command head = new Command.DirectHead(ADDRESS, Bytes.of(producer.address()), TOPIC, 4);
			peer.send(new Command.ConsumerHello(Bytes.of(store.address()), ADDRESS, List.of(TOPIC)).encode());
			assertThat(peer.receive()).isEqualTo(head);
			peer.send(new Command.GetHeads(TOPIC, ADDRESS).encode());
			assertThat(peer.receive()).isEqualTo(head);
			peer.send(new Command.Fetch(Bytes.of(producer.address()), ADDRESS, TOPIC, 3, 0xFFFFFFFFL).encode());
			for (int i = 3; i < 5; i++) {
				assertThat(peer.receive()).isEqualTo(new Command.DirectRecord(ADDRESS, Bytes.of(producer.address()),
						TOPIC, i, Bytes.of(Received.content("t", producer.address(), i))));
			}
		}
	}

	@Test
	void limitsInventedPartitions() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Store store = cluster.store().maxPartitions(3).start();
				Consumer consumer = cluster.earliest("t").maxPartitions(2).start(received);
				Peer peer = new Peer(cluster)) {
			peer.awaitSubscription("M");
			peer.awaitSubscription("Mt");
			for (int i = 0; i < 5; i++) {
				peer.send(Command.record(Bytes.of("made-up-" + i), TOPIC).at(0),
						Received.content("t", "made-up-" + i, 0).getBytes(StandardCharsets.US_ASCII));
				peer.send(new Command.Head(Bytes.of("made-up-" + i), TOPIC, 0).encode());
			}
			await("all is counted by the store").until(() -> store.metrics().refused() == 4);
			await("and by the consumer").until(() -> consumer.metrics().refused() >= 6 && received.count.get() == 2);
			assertThat(store.metrics().partitions()).isEqualTo(3);
			assertThat(consumer.partitions()).hasSize(2);
			assertThat(received.wrong).isEmpty();
		}
	}

	@Test
	void skipsGapLeftByEndedProducerAfterSkipTimeout() {
		Received received = new Received();
		ReadingOptions reading = ReadingOptions.defaults()
			.withLossTimeout(Duration.ofMillis(300))
			.withSkipTimeout(Duration.ofSeconds(1));
		try (Cluster cluster = new Cluster();
				Consumer consumer = cluster.earliest("t").reading(reading).start(received)) {
			try (Peer peer = new Peer(cluster)) {
				peer.awaitSubscription("Mt");
				for (int i : new int[] { 0, 3 }) {
					peer.send(Command.record(ADDRESS, TOPIC).at(i),
							Received.content("t", ADDRESS.toText(), i).getBytes(StandardCharsets.US_ASCII));
				}
				peer.send(new Command.Head(ADDRESS, TOPIC, 9).encode());
				await("the gap").until(() -> consumer.metrics().known() == 10);
			}
			await("the end").until(() -> consumer.metrics().lag() == 0);
			assertThat(received.count).hasValue(2);
			assertThat(received.lost).hasValue(8);
			assertThat(consumer.metrics().lost()).isEqualTo(8);
			assertThat(received.wrong).isEmpty();
		}
	}

	@Test
	void listingIsUnknownIfStoreNeverConfirms() {
		try (Cluster cluster = new Cluster();
				Consumer consumer = cluster.earliest("t").start(new Received());
				Peer peer = new Peer(cluster)) {
			assertThat(consumer.completeness()).isEqualTo(Completeness.COMPLETE);
			peer.connectTo(consumer.port(), "W" + ADDRESS.toText());
			await("the store").until(() -> consumer.completeness() == Completeness.UNKNOWN);
		}
	}

	@Test
	void listingIsPendingUntilEveryHeadArrived() {
		try (Cluster cluster = new Cluster();
				Consumer consumer = cluster.earliest("t").start(new Received());
				Peer peer = new Peer(cluster)) {
			peer.connectTo(consumer.port(), "T" + ADDRESS.toText(), "W" + ADDRESS.toText());
			await("the store").until(() -> consumer.completeness() == Completeness.PENDING);
			peer.awaitSubscription("Mt");
			Bytes address = peer.endOfHeads();
			peer.send(new Command.EndOfHeads(address, ADDRESS, TOPIC, 1).encode());
			peer.send(new Command.DirectHead(address, Bytes.of("P"), TOPIC, 0).encode());
			await("the head").until(() -> consumer.metrics().partitions() == 1);
			assertThat(consumer.completeness()).isEqualTo(Completeness.PENDING);
			await("the end").until(() -> {
				peer.send(new Command.DirectHead(address, Bytes.of("P"), TOPIC, 0).encode());
				peer.send(new Command.EndOfHeads(address, ADDRESS, TOPIC, 1).encode());
				return consumer.completeness() == Completeness.COMPLETE;
			});
		}
	}

	@Test
	void consumerGreetsStoresAndSurvivesGarbage() {
		Received received = new Received();
		try (Cluster cluster = new Cluster();
				Consumer consumer = cluster.earliest("t").start(received);
				Peer peer = new Peer(cluster)) {
			peer.connectTo(consumer.port(), "W" + ADDRESS.toText());
			Command hello = peer.receive();
			assertThat(hello).isInstanceOfSatisfying(Command.ConsumerHello.class,
					(command) -> assertThat(command.subjects()).containsExactly(TOPIC));
			peer.awaitSubscription("Mt");
			peer.send(new byte[] { 'M', 't' });
			peer.send(Command.record(ADDRESS, TOPIC).at(0),
					Received.content("t", ADDRESS.toText(), 0).getBytes(StandardCharsets.US_ASCII));
			await("the record").until(() -> received.count.get() == 1);
			assertThat(received.wrong).isEmpty();
			assertThat(consumer.metrics().node().malformed()).isOne();
		}
	}

	/** Publisher and subscriber announced to the tower as a node. */
	private static final class Peer implements AutoCloseable {

		private final ZContext context = new ZContext();

		private final ZMQ.Socket publisher = socket(SocketType.XPUB);

		private final ZMQ.Socket subscriber = socket(SocketType.SUB);

		private final ZMQ.Socket beacons = socket(SocketType.XPUB);

		private final List<byte[]> announcement;

		private final List<String> subscriptions = new ArrayList<>();

		Peer(Cluster cluster) {
			this.publisher.setXpubVerbose(true);
			int port = this.publisher.bindToRandomPort("tcp://127.0.0.1");
			this.announcement = TestBeacons.announcement("peer", "127.0.0.1", port);
			this.beacons.connect("tcp://127.0.0.1:" + cluster.tower.address().inPort());
		}

		void awaitSubscription(String prefix) {
			await("a subscription to " + prefix).until(() -> {
				TestBeacons.send(this.beacons, this.announcement);
				for (List<byte[]> message = TestBeacons.receive(this.publisher); message != null; message = TestBeacons
					.receive(this.publisher)) {
					byte[] frame = message.get(0);
					this.subscriptions.add(new String(frame, 1, frame.length - 1, StandardCharsets.US_ASCII));
				}
				return this.subscriptions.contains(prefix);
			});
		}

		/** Returns the address of a consumer that subscribes to ends of heads. */
		Bytes endOfHeads() {
			return this.subscriptions.stream()
				.filter((prefix) -> prefix.startsWith("T"))
				.map((prefix) -> Bytes.of(prefix.substring(1)))
				.findFirst()
				.orElseThrow();
		}

		void connectTo(int port, String... prefixes) {
			for (String prefix : prefixes) {
				this.subscriber.subscribe(prefix);
			}
			this.subscriber.connect("tcp://127.0.0.1:" + port);
		}

		void send(byte[]... frames) {
			TestBeacons.send(this.publisher, List.of(frames));
		}

		@Nullable Command receive() {
			this.subscriber.setReceiveTimeOut(30_000);
			byte @Nullable [] header = this.subscriber.recv();
			assertThat(header).as("a command within 30 s").isNotNull();
			return Command.decode(header, this.subscriber.hasReceiveMore() ? this.subscriber.recv() : null);
		}

		private ZMQ.Socket socket(SocketType type) {
			ZMQ.Socket socket = this.context.createSocket(type);
			socket.setHandshakeIvl(1_000);
			socket.setLinger(0);
			return socket;
		}

		@Override
		public void close() {
			this.context.close();
		}

	}

}
