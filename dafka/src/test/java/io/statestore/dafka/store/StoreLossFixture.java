package io.statestore.dafka.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fixture with a store that misses records of a partition, for tests that pass in the
 * time.
 */
abstract class StoreLossFixture {

	static final Bytes TOPIC = Bytes.of("t");

	static final Bytes STORE = Bytes.of("STORE");

	static final Bytes MISSING = Bytes.of("P");

	static final Bytes OTHER = Bytes.of("Q");

	static final byte[] FAST_STORE = "WFAST".getBytes(StandardCharsets.US_ASCII);

	static final byte[] SLOW_STORE = "WSLOW".getBytes(StandardCharsets.US_ASCII);

	static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);

	final List<Command> sent = new ArrayList<>();

	long now = 1;

	final StoreMachine machine = new StoreMachine(STORE, Store.builder(NodeOptions.tower("tower")),
			new PartitionLimit(1_000), new RecordLog(new MemoryEngine()), new Sent(), this.now);

	void run(int seconds, IntConsumer each) {
		for (int second = 0; second < seconds; second++) {
			each.accept(second);
			for (int step = 0; step < 10; step++) {
				this.now += 100 * MILLIS;
				this.machine.work(this.now);
			}
		}
	}

	/** Connects stores that have announced the missing records. */
	void connect(byte[]... stores) {
		for (byte[] store : stores) {
			this.machine.subscribed(store, this.now);
		}
		receive(new Command.DirectHead(STORE, MISSING, TOPIC, 9).encode(), null);
	}

	/**
	 * Connects stores and receives the first record long before other records are lost.
	 */
	void inSync() {
		this.machine.subscribed(FAST_STORE, this.now);
		this.machine.subscribed(SLOW_STORE, this.now);
		receive(Command.record(MISSING, TOPIC).at(0), new byte[1]);
		run(30, (second) -> {
		});
	}

	/** Receives a request from the slow store. */
	void request(int sequence) {
		receive(new Command.Fetch(MISSING, Bytes.of("SLOW"), TOPIC, sequence, 10 - sequence).encode(), null);
	}

	/** Adds or removes a store every two seconds. */
	void comeAndGo(int second) {
		if (second % 4 == 0) {
			this.machine.subscribed(SLOW_STORE, this.now);
		}
		else if (second % 4 == 2) {
			this.machine.unsubscribed(SLOW_STORE);
		}
	}

	/** Answers and announces like a store that has only records starting at 5. */
	void answerWithoutBeginning() {
		receive(new Command.DirectHead(STORE, MISSING, TOPIC, 9).encode(), null);
		answer();
	}

	/** Answers the latest request like a node that has only records starting at 5. */
	void answer() {
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

	void allRecords() {
		IntStream.range(0, 10).forEach((record) -> direct(MISSING, record));
		this.machine.work(this.now);
	}

	void head() {
		receive(new Command.Head(MISSING, TOPIC, 9).encode(), null);
	}

	void direct(Bytes partition, int sequence) {
		receive(Command.directRecord(STORE, partition, TOPIC).at(sequence), new byte[1]);
	}

	void receive(byte[] header, byte @Nullable [] content) {
		this.machine.received(header, content, this.now);
	}

	/** {@code Machine.Output} that records what was sent and always has room. */
	final class Sent implements Machine.Output {

		@Override
		public void send(Command command) {
			StoreLossFixture.this.sent.add(command);
		}

		@Override
		public boolean hasRoom() {
			return true;
		}

		@Override
		public boolean offer(byte[] header, Bytes content) {
			Command command = Command.decode(header, content.toArray());
			assertThat(command).isNotNull();
			StoreLossFixture.this.sent.add(command);
			return true;
		}

	}

}
