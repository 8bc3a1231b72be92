package io.statestore.dafka.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.reading.ReadingOptions;
import io.statestore.dafka.store.storage.MemoryEngine;
import io.statestore.dafka.store.storage.RecordLog;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Decoder;
import io.statestore.dafka.wire.Encoder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** When a store continues without records that no node sends. */
class StoreSkipTests {

	private static final Bytes TOPIC = Bytes.of("t");

	private static final Bytes STORE = Bytes.of("STORE");

	private static final Bytes MISSING = Bytes.of("P");

	private static final Bytes OTHER = Bytes.of("Q");

	private static final byte[] FAST_STORE = "WFAST".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] SLOW_STORE = "WSLOW".getBytes(StandardCharsets.US_ASCII);

	private static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);

	private final List<Command> sent = new ArrayList<>();

	private long now = 1;

	private final StoreMachine machine = new StoreMachine(STORE,
			new StoreSettings(Fsync.NEVER, StoreSettings.FOREVER, Long.MAX_VALUE, Duration.ofSeconds(10),
					Duration.ofSeconds(5), ReadingOptions.defaults().withSkipTimeout(Duration.ofMinutes(1)), 1_000,
					InstantSource.system()),
			new RecordLog(new MemoryEngine()), new Sent(), this.now);

	@Test
	void skipsRecordsThatNoNodeGivesWhileProducerIsLive() {
		run(90, (second) -> head());
		assertThat(this.machine.counters().lost.sum()).isEqualTo(10);
	}

	@Test
	void skipsNothingWhileAnotherStoreIsSending() {
		run(300, (second) -> {
			head();
			direct(OTHER, second);
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void skipsNothingThatAnotherStoreAnnounces() {
		run(300, (second) -> {
			head();
			if (second % 5 == 0) {
				receive(Encoder.header(new Command.DirectHead(STORE, MISSING, TOPIC, 9)), null);
			}
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void skipsNothingWhenTheProducerIsGone() {
		head();
		run(300, (second) -> {
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatHasJustAppeared() {
		run(90, (second) -> {
			head();
			if (second == 59) {
				this.machine.subscribed(SLOW_STORE, this.now);
			}
			if (second == 63) {
				allRecords();
			}
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
		assertThat(this.machine.counters().stored.sum()).isEqualTo(10);
	}

	@Test
	void declaresLossWhenOnlyStoreHasLaterRecords() {
		connect(FAST_STORE);
		run(15, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
		assertThat(this.machine.counters().stored.sum()).isEqualTo(5);
	}

	@Test
	void declaresLossWhenProducerHasLaterRecords() {
		run(15, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
		assertThat(this.machine.counters().stored.sum()).isEqualTo(5);
	}

	@Test
	void waitsForConnectedStoreThatDoesNotAnswer() {
		connect(FAST_STORE, SLOW_STORE);
		run(50, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isZero();
		allRecords();
		assertThat(this.machine.counters().stored.sum()).isEqualTo(10);
	}

	@Test
	void waitsForStoreWhenOnlyProducerAnswers() {
		connect(SLOW_STORE);
		run(9, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void waitsShortlyForProducerThatDoesNotAnswer() {
		connect(FAST_STORE);
		run(9, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
		run(6, (second) -> {
			head();
			answerWithoutBeginning();
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoresThatHaveNotAnnouncedYet() {
		inSync();
		run(9, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatHasAnnouncedDuringThisWait() {
		inSync();
		run(9, (second) -> {
			head();
			answer();
		});
		receive(Encoder.header(new Command.DirectHead(STORE, MISSING, TOPIC, 9)), null);
		run(40, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
		run(20, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(4);
	}

	@Test
	void waitsForStoreThatAnnouncedAfterItsRequest() {
		connect(FAST_STORE, SLOW_STORE);
		run(1, (second) -> {
		});
		request(0);
		run(50, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void waitsForStoreThatNoLongerRequests() {
		connect(FAST_STORE, SLOW_STORE);
		run(1, (second) -> {
		});
		receive(Encoder.header(new Command.DirectHead(STORE, MISSING, TOPIC, 9)), null);
		run(1, (second) -> {
		});
		request(0);
		run(25, (second) -> {
		});
		run(15, (second) -> answer());
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void doesNotWaitForStoresThatAnnounceNothing() {
		this.machine.subscribed(FAST_STORE, this.now);
		this.machine.subscribed(SLOW_STORE, this.now);
		run(20, (second) -> {
			head();
			answer();
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void doesNotWaitForStoreThatMissesTheSameRecords() {
		connect(FAST_STORE, SLOW_STORE);
		run(10, (second) -> {
			answerWithoutBeginning();
			this.now += MILLIS;
			request(0);
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoreThatMissesOnlyLaterRecords() {
		connect(FAST_STORE, SLOW_STORE);
		run(50, (second) -> {
			answerWithoutBeginning();
			this.now += MILLIS;
			request(5);
		});
		assertThat(this.machine.counters().lost.sum()).isZero();
	}

	@Test
	void declaresLossWhileStoresComeAndGo() {
		connect(FAST_STORE);
		run(150, (second) -> {
			answerWithoutBeginning();
			comeAndGo(second);
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void skipsWhileStoresComeAndGo() {
		run(150, (second) -> {
			head();
			comeAndGo(second);
		});
		assertThat(this.machine.counters().lost.sum()).isEqualTo(10);
	}

	@Test
	void waitsForLimitedTime() {
		connect(FAST_STORE, SLOW_STORE);
		run(90, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void waitsForStoreThatHasJustLeft() {
		connect(FAST_STORE, SLOW_STORE);
		run(20, (second) -> answerWithoutBeginning());
		this.machine.unsubscribed(SLOW_STORE);
		run(4, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isZero();
		run(6, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
	}

	@Test
	void countsLostRecordsThatArriveLate() {
		connect(FAST_STORE);
		run(15, (second) -> answerWithoutBeginning());
		assertThat(this.machine.counters().lost.sum()).isEqualTo(5);
		long duplicates = this.machine.counters().duplicates.sum();
		allRecords();
		assertThat(this.machine.counters().late.sum()).isEqualTo(5);
		assertThat(this.machine.counters().duplicates.sum()).isEqualTo(duplicates + 5);
	}

	@Test
	void answersEachPartitionInSlicesOfBoundedBytes() {
		for (int i = 0; i < 64; i++) {
			receive(Encoder.record(MISSING, TOPIC).at(i), new byte[64 << 10]);
			receive(Encoder.record(OTHER, TOPIC).at(i), new byte[64 << 10]);
		}
		this.machine.work(this.now);
		this.machine.subscribed("DCONSUMER".getBytes(), this.now);
		this.sent.clear();
		for (Bytes partition : List.of(MISSING, OTHER)) {
			receive(Encoder.header(new Command.Fetch(partition, Bytes.of("CONSUMER"), TOPIC, 0, 64)), null);
		}
		this.machine.work(this.now);
		assertThat(this.sent).hasSizeLessThanOrEqualTo(64);
		Set<Bytes> first = new HashSet<>();
		this.sent.stream().limit(8).forEach((command) -> first.add(((Command.DirectRecord) command).address()));
		assertThat(first).containsExactlyInAnyOrder(MISSING, OTHER);
		for (int turn = 0; turn < 10; turn++) {
			this.machine.work(this.now);
		}
		assertThat(this.sent).hasSize(128).doesNotHaveDuplicates();
	}

	private void run(int seconds, IntConsumer each) {
		for (int second = 0; second < seconds; second++) {
			each.accept(second);
			for (int step = 0; step < 10; step++) {
				this.now += 100 * MILLIS;
				this.machine.work(this.now);
			}
		}
	}

	/** Connects stores that have announced the missing records. */
	private void connect(byte[]... stores) {
		for (byte[] store : stores) {
			this.machine.subscribed(store, this.now);
		}
		receive(Encoder.header(new Command.DirectHead(STORE, MISSING, TOPIC, 9)), null);
	}

	/**
	 * Connects stores and receives the first record, long before the others get lost.
	 */
	private void inSync() {
		this.machine.subscribed(FAST_STORE, this.now);
		this.machine.subscribed(SLOW_STORE, this.now);
		receive(Encoder.record(MISSING, TOPIC).at(0), new byte[1]);
		run(30, (second) -> {
		});
	}

	/** Receives a request of the slow store. */
	private void request(int sequence) {
		receive(Encoder.header(new Command.Fetch(MISSING, Bytes.of("SLOW"), TOPIC, sequence, 10 - sequence)), null);
	}

	/** Lets a store appear or leave every two seconds. */
	private void comeAndGo(int second) {
		if (second % 4 == 0) {
			this.machine.subscribed(SLOW_STORE, this.now);
		}
		else if (second % 4 == 2) {
			this.machine.unsubscribed(SLOW_STORE);
		}
	}

	/** Answers and announces as a store that only has the records from 5 on. */
	private void answerWithoutBeginning() {
		receive(Encoder.header(new Command.DirectHead(STORE, MISSING, TOPIC, 9)), null);
		answer();
	}

	/** Answers the latest request as a node that only has the records from 5 on. */
	private void answer() {
		this.sent.stream()
			.filter((command) -> command instanceof Command.Fetch fetch && fetch.address().equals(MISSING))
			.map((command) -> (Command.Fetch) command)
			.reduce((earlier, later) -> later)
			.ifPresent((fetch) -> {
				int first = (int) Math.max(5, fetch.sequence());
				IntStream.range(first, Math.max(first + 1, (int) (fetch.sequence() + fetch.count())))
					.forEach((record) -> direct(MISSING, record));
			});
		this.sent.clear();
	}

	private void allRecords() {
		IntStream.range(0, 10).forEach((record) -> direct(MISSING, record));
		this.machine.work(this.now);
	}

	private void head() {
		receive(Encoder.header(new Command.Head(MISSING, TOPIC, 9)), null);
	}

	private void direct(Bytes partition, int sequence) {
		receive(Encoder.directRecord(STORE, partition, TOPIC).at(sequence), new byte[1]);
	}

	private void receive(byte[] header, byte @Nullable [] content) {
		this.machine.received(header, content, this.now);
	}

	/** Remembers what was sent; there is always room. */
	private final class Sent implements Output {

		@Override
		public void send(Command command) {
			StoreSkipTests.this.sent.add(command);
		}

		@Override
		public boolean hasRoom() {
			return true;
		}

		@Override
		public boolean offer(byte[] header, Bytes content) {
			Command command = Decoder.decode(header, content.toArray());
			assertThat(command).isNotNull();
			StoreSkipTests.this.sent.add(command);
			return true;
		}

	}

}
