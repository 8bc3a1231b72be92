package io.statestore.dafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.RecordListener;
import io.statestore.dafka.consumer.SimulatedConsumer;
import io.statestore.dafka.endtoend.Received;
import io.statestore.dafka.producer.SimulatedProducer;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.store.SimulatedDisk;
import io.statestore.dafka.store.SimulatedStore;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Producers, stores, and consumers on an unreliable network, in virtual time. */
class SimulationTests {

	private static final ReadingOptions READING = new ReadingOptions(64, 1 << 20, Duration.ofMillis(50),
			Duration.ofMinutes(5));

	private static final ReadingOptions IMPATIENT = new ReadingOptions(64, 1 << 20, Duration.ofMillis(50),
			Duration.ofSeconds(5));

	@Property(tries = 30, shrinking = ShrinkingMode.OFF)
	void deliversEveryRecordOnUnreliableNetwork(@ForAll Random random,
			@ForAll @IntRange(min = 0, max = 30) int lossPercent, @ForAll @IntRange(min = 0, max = 20) int delayMillis,
			@ForAll @IntRange(min = 1, max = 3) int producers, @ForAll @IntRange(min = 1, max = 300) int records)
			throws Exception {
		Network network = new Network(random, lossPercent, delayMillis);
		long total = (long) producers * records;
		SimulatedDisk disk = new SimulatedDisk();
		Joined<SimulatedStore> store = join(network, (output) -> new SimulatedStore(disk, READING, output, network.now),
				SimulatedStore::machine);
		List<Joined<SimulatedProducer>> senders = new ArrayList<>();
		List<CompletableFuture<Position>> futures = new ArrayList<>();
		for (int i = 0; i < producers; i++) {
			Joined<SimulatedProducer> sender = join(network, SimulatedProducer::new, SimulatedProducer::machine);
			senders.add(sender);
			String address = sender.node.address();
			for (int j = 0; j < records; j++) {
				futures.add(sender.node.send("t", Bytes.of(Received.content("t", address, j))));
			}
			sender.node.send("tt", Bytes.EMPTY);
		}
		Received live = new Received();
		Joined<SimulatedConsumer> reader = consumer(network, live);
		long half = total / 2;
		network.runUntil("half is acknowledged", () -> acknowledged(senders) >= half);

		// The store loses what it has not written and restarts.
		network.leave(store.member);
		Joined<SimulatedStore> again = join(network, (output) -> new SimulatedStore(disk, READING, output, network.now),
				SimulatedStore::machine);
		network.runUntil("all is acknowledged", () -> acknowledged(senders) == total + producers);
		network.runUntil("all is read", () -> reader.node.read() == total);
		senders.forEach((sender) -> network.leave(sender.member));

		// A new store copies all records from the old store and answers a late consumer.
		Joined<SimulatedStore> replica = join(network,
				(output) -> new SimulatedStore(new SimulatedDisk(), READING, output, network.now),
				SimulatedStore::machine);
		network.runUntil("all is replicated", () -> replica.node.written() == total + producers);
		network.leave(again.member);
		Received late = new Received();
		Joined<SimulatedConsumer> lateReader = consumer(network, late);
		network.runUntil("all is read late", () -> lateReader.node.read() == total);

		assertDelivered(live, total);
		assertDelivered(late, total);
		futures.forEach(CompletableFuture::join);
		reader.node.close();
		lateReader.node.close();
	}

	@Test
	void keepsRecordsThatOnlySlowStoreHas() throws Exception {
		Network network = new Network(new Random(1), 0, 5);
		PartitionKey partition = new PartitionKey(Bytes.of("P"), Bytes.of("t"));
		store(network, SimulatedDisk.withoutOldest(partition, 5));
		Joined<SimulatedStore> slow = store(network, SimulatedDisk.withoutOldest(partition, 0));
		network.suspend(slow.member);
		Joined<SimulatedStore> replica = store(network, new SimulatedDisk());
		network.runFor(IMPATIENT.lossTimeout().multipliedBy(8));
		assertThat(replica.node.lost()).isZero();
		network.resume(slow.member);
		network.runUntil("all is replicated", () -> replica.node.written() == 10);
		assertThat(replica.node.lost()).isZero();
	}

	@Test
	void continuesWithoutRecordsThatNoStoreHas() {
		Network network = new Network(new Random(1), 0, 5);
		PartitionKey partition = new PartitionKey(Bytes.of("P"), Bytes.of("t"));
		for (int i = 0; i < 2; i++) {
			store(network, SimulatedDisk.withoutOldest(partition, 5));
		}
		Joined<SimulatedStore> replica = store(network, new SimulatedDisk());
		network.runFor(IMPATIENT.lossTimeout().multipliedBy(3));
		assertThat(replica.node.written()).isEqualTo(10);
		assertThat(replica.node.lost()).isEqualTo(5);
	}

	@Test
	void continuesAfterLossOfRecordsOnlyProducerHad() throws Exception {
		Network network = new Network(new Random(1), 0, 5);
		Joined<SimulatedProducer> producer = join(network, (output) -> new SimulatedProducer(output, 15, 10),
				SimulatedProducer::machine);
		PartitionKey partition = new PartitionKey(Bytes.of(producer.node.address()), Bytes.of("t"));
		List<Joined<SimulatedStore>> stores = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			stores.add(store(network, SimulatedDisk.withoutOldest(partition, 0)));
		}
		Joined<SimulatedConsumer> consumer = consumer(network, IMPATIENT, new Received());
		producer.node.send("t", Bytes.of("after the restart"));
		network.runFor(IMPATIENT.lossTimeout().multipliedBy(3));
		assertThat(producer.node.acknowledged()).isOne();
		assertThat(stores).allSatisfy((store) -> assertThat(store.node.lost()).isEqualTo(5));
		assertThat(consumer.node.read()).isEqualTo(16);
		consumer.node.close();
	}

	@Test
	void newStoresDoNotWaitForEachOther() {
		Network network = new Network(new Random(1), 0, 5);
		PartitionKey partition = new PartitionKey(Bytes.of("P"), Bytes.of("t"));
		store(network, SimulatedDisk.withoutOldest(partition, 5));
		List<Joined<SimulatedStore>> copies = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			copies.add(store(network, new SimulatedDisk()));
		}
		network.runFor(IMPATIENT.lossTimeout().multipliedBy(3));
		assertThat(copies).allSatisfy((copy) -> assertThat(copy.node.written()).isEqualTo(10));
	}

	@Test
	void consumerReadsRecordsThatOnlySlowStoreHas() throws Exception {
		Network network = new Network(new Random(1), 0, 5);
		PartitionKey partition = new PartitionKey(Bytes.of("P"), Bytes.of("t"));
		store(network, SimulatedDisk.withoutOldest(partition, 5));
		Joined<SimulatedStore> slow = store(network, SimulatedDisk.withoutOldest(partition, 0));
		network.suspend(slow.member);
		Joined<SimulatedConsumer> consumer = consumer(network, IMPATIENT, new Received());
		network.runFor(IMPATIENT.lossTimeout().multipliedBy(8));
		assertThat(consumer.node.read()).isZero();
		network.resume(slow.member);
		network.runUntil("all is read", () -> consumer.node.read() == 10);
		assertThat(consumer.node.lost()).isZero();
		consumer.node.close();
	}

	/**
	 * Loses all messages from one node for a while, such as a request with its
	 * repetitions or an answer. Without a store, the consumer's requests also tell the
	 * producer what to keep.
	 */
	@Property(tries = 30, shrinking = ShrinkingMode.OFF)
	void readsWithoutStoreSoonAfterInterruption(@ForAll Random random, @ForAll boolean requestsLost,
			@ForAll @IntRange(min = 0, max = 20) int beginMillis,
			@ForAll @IntRange(min = 1, max = 1_000) int lengthMillis) throws Exception {
		Network network = new Network(random, 0, 5);
		Joined<SimulatedProducer> producer = join(network, SimulatedProducer::new, SimulatedProducer::machine);
		int records = 5_000;
		for (int i = 0; i < records; i++) {
			producer.node.send("t", Bytes.EMPTY);
		}
		network.runFor(Duration.ofSeconds(1));
		ReadingOptions reading = new ReadingOptions(4_096, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(5));
		Joined<SimulatedConsumer> consumer = consumer(network, reading, (record) -> {
		});
		Network.Member lost = requestsLost ? consumer.member : producer.member;
		network.runFor(Duration.ofMillis(beginMillis));
		network.mute(lost);
		network.runFor(Duration.ofMillis(lengthMillis));
		network.unmute(lost);
		network.runFor(Duration.ofSeconds(3));
		assertThat(consumer.node.read()).isEqualTo(records);
		consumer.node.close();
	}

	private static void assertDelivered(Received received, long total) {
		await("the listener has everything").until(() -> received.count() >= total);
		assertThat(received.wrong()).isEmpty();
		assertThat(received.count()).isEqualTo(total);
	}

	private static long acknowledged(List<Joined<SimulatedProducer>> senders) {
		return senders.stream().mapToLong((sender) -> sender.node.acknowledged()).sum();
	}

	private static Joined<SimulatedStore> store(Network network, SimulatedDisk engine) {
		return join(network, (output) -> new SimulatedStore(engine, IMPATIENT, output, network.now),
				SimulatedStore::machine);
	}

	private static Joined<SimulatedConsumer> consumer(Network network, Received received) {
		return consumer(network, READING, received);
	}

	private static Joined<SimulatedConsumer> consumer(Network network, ReadingOptions reading,
			RecordListener listener) {
		return join(network, (output) -> new SimulatedConsumer("t", reading, listener, output, network.now),
				SimulatedConsumer::machine);
	}

	private static <T> Joined<T> join(Network network, Function<Machine.Output, T> nodes,
			Function<T, Machine> machine) {
		AtomicReference<T> node = new AtomicReference<>();
		Network.Member member = network.join((output) -> {
			T made = nodes.apply(output);
			node.set(made);
			return machine.apply(made);
		});
		return new Joined<>(Objects.requireNonNull(node.get()), member);
	}

	private record Joined<T>(T node, Network.Member member) {
	}

}
