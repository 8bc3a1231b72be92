package io.statestore.dafka.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.Ticker;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Conditions under which a consumer reports records as lost when nodes send later
 * records.
 */
class ReadPartitionTests {

	private static final Bytes ADDRESS = Bytes.of("CONSUMER");

	private static final Bytes PRODUCER = Bytes.of("PRODUCER");

	private static final Bytes TOPIC = Bytes.of("t");

	private static final byte[] STORE = "WSTORE".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] OTHER_STORE = "WOTHER".getBytes(StandardCharsets.US_ASCII);

	private static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long SECOND = 1_000 * MILLIS;

	private final RecordingOutput output = new RecordingOutput();

	private ConsumerMachine machine = machine(Duration.ofMillis(200));

	private long now = 1;

	@Test
	void waitsForStoreThatHasNotAnnouncedYet() {
		connect(STORE);
		inSync();
		run(9, true, 1);
		assertThat(lost()).isZero();
		IntStream.range(1, 5).forEach(this::direct);
		assertThat(this.machine.partitions().live()).allMatch((partition) -> partition.reader.next() == 10);
		assertThat(lost()).isZero();
	}

	@Test
	void waitsForEachStore() {
		connect(STORE, OTHER_STORE);
		inSync();
		run(1, true, 1);
		run(50, false, 1);
		assertThat(lost()).isZero();
		run(20, false, 1);
		assertThat(lost()).isEqualTo(4);
	}

	@Test
	void continuesWhenOnlyStoreHasLaterRecords() {
		connect(STORE);
		storedHead();
		run(9, false, 1);
		assertThat(lost()).isEqualTo(5);
	}

	@Test
	void continuesWhenStoreAndProducerHaveLaterRecords() {
		connect(STORE);
		run(9, true, 2);
		assertThat(lost()).isEqualTo(5);
	}

	@Test
	void continuesWhenProducerWithoutStoreHasLaterRecords() {
		run(9, true, 1);
		assertThat(lost()).isEqualTo(5);
	}

	@Test
	void waitsShortlyForSilentProducer() {
		connect(STORE);
		run(9, true, 1);
		assertThat(lost()).isZero();
		run(6, true, 1);
		assertThat(lost()).isEqualTo(5);
	}

	@Test
	void waitsForStoreThatHasJustAppeared() {
		run(4, true, 1);
		connect(STORE);
		run(5, true, 1);
		assertThat(lost()).isZero();
	}

	@Test
	void waitsForStoreThatHasJustLeft() {
		connect(STORE);
		storedHead();
		run(4, false, 1);
		this.machine.unsubscribed(STORE);
		run(4, false, 1);
		assertThat(lost()).isZero();
		run(6, false, 1);
		assertThat(lost()).isEqualTo(5);
	}

	@Test
	void ignoresAnswersFromBeforeStoreAppeared() {
		this.machine = machine(Duration.ofSeconds(2));
		connect(STORE);
		storedHead();
		run(20, false, 1);
		assertThat(lost()).isZero();
		this.machine.unsubscribed(STORE);
		connect(OTHER_STORE);
		run(40, false, 0);
		assertThat(lost()).isZero();
	}

	@Test
	void continuesWhileStoresComeAndGo() {
		connect(STORE);
		storedHead();
		for (int turn = 0; turn < 40; turn++) {
			connect(OTHER_STORE);
			run(2, false, 2);
			this.machine.unsubscribed(OTHER_STORE);
			run(2, false, 2);
		}
		assertThat(lost()).isEqualTo(5);
	}

	private ConsumerMachine machine(Duration retry) {
		Delivery delivery = new Delivery("listener", new ListenerCalls((record) -> {
		}), new WaitingRecords(1_000, 1 << 20), OffsetStore.memory(), Duration.ofSeconds(1), Ticker.SYSTEM);
		return new ConsumerMachine(ADDRESS, Set.of(TOPIC),
				new ReadingOptions(1_024, 1 << 20, retry, Duration.ofSeconds(5)), 10 * SECOND, SECOND, Map.of(), 0,
				new PartitionLimit(10), this.output, delivery, 1);
	}

	private void connect(byte[]... stores) {
		for (byte[] store : stores) {
			this.machine.subscribed(store, this.now);
		}
	}

	/** Receives the first record long before other records get lost. */
	private void inSync() {
		receive(Command.record(PRODUCER, TOPIC).at(0), new byte[1]);
		run(30, false, 0);
	}

	/**
	 * Runs the consumer while nodes answer that have only records starting at 5.
	 * @param producer whether the producer announces its last record
	 * @param answers number of nodes that answer
	 */
	private void run(int seconds, boolean producer, int answers) {
		for (int step = 0; step < 10 * seconds; step++) {
			if (producer && step % 10 == 0) {
				receive(new Command.Head(PRODUCER, TOPIC, 9).encode(), null);
			}
			this.now += 100 * MILLIS;
			this.machine.work(this.now);
			for (int node = 0; node < answers; node++) {
				answer();
			}
			this.output.sent.clear();
		}
	}

	private void answer() {
		for (Command command : this.output.sent) {
			if (command instanceof Command.Fetch fetch) {
				int first = (int) Math.max(5, fetch.sequence());
				IntStream.range(first, Math.max(first + 1, (int) (fetch.sequence() + fetch.count())))
					.forEach(this::direct);
			}
		}
	}

	private void storedHead() {
		receive(new Command.DirectHead(ADDRESS, PRODUCER, TOPIC, 9).encode(), null);
	}

	private void direct(int sequence) {
		receive(Command.directRecord(ADDRESS, PRODUCER, TOPIC).at(sequence), new byte[1]);
	}

	private void receive(byte[] header, byte @Nullable [] content) {
		assertThat(this.machine.received(header, content, this.now)).isTrue();
	}

	private long lost() {
		return this.machine.lost.sum();
	}

}
