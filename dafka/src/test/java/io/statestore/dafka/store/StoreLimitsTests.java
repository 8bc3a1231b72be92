package io.statestore.dafka.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits for peers that invent partitions and requests. */
class StoreLimitsTests {

	private static final Bytes TOPIC = Bytes.of("t");

	private static final Bytes STORE = Bytes.of("STORE");

	private static final Bytes CONSUMER = Bytes.of("CONSUMER");

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final Sent sent = new Sent();

	private final MemoryEngine engine = new MemoryEngine();

	private long now = 1;

	@Test
	void countsOnlyLivePartitionsAgainstLimit() {
		StoreMachine machine = machine(10);
		for (int life = 0; life < 1_000; life++) {
			record(machine, life, 0, new byte[1]);
			machine.work(this.now);
			this.now += 2 * SECOND;
		}
		assertThat(machine.stored.sum()).isEqualTo(1_000);
		assertThat(machine.limit.refused()).isZero();
		assertThat(machine.partitionCount).isEqualTo(1_000);
	}

	@Test
	void refusesLivePartitionsBeyondLimit() {
		StoreMachine machine = machine(10);
		for (int i = 0; i < 20; i++) {
			record(machine, i, 0, new byte[1]);
			this.now += SECOND / 10;
		}
		assertThat(machine.limit.refused()).isEqualTo(10);
	}

	@Test
	void continuesPartitionThatWasSilent() {
		StoreMachine machine = machine(10);
		record(machine, 1, 0, new byte[1]);
		machine.work(this.now);
		for (int i = 0; i < 10; i++) {
			this.now += 20 * SECOND;
			machine.work(this.now);
		}
		record(machine, 1, 1, new byte[1]);
		machine.work(this.now);
		assertThat(this.sent.commands).contains(new Command.Ack(partition(1), TOPIC, 1));
		assertThat(machine.stored.sum()).isEqualTo(2);
	}

	@Test
	void limitsRecordsBeyondGapsAcrossPartitions() {
		StoreMachine machine = machine(100_000);
		for (int i = 0; i < 12_000; i++) {
			record(machine, i, 1, new byte[1_000]);
		}
		assertThat(machine.buffered()).isBetween(1_000_000L, 1L << 20);
		machine.work(this.now);
		assertThat(machine.stored.sum()).isZero();
	}

	@Test
	void releasesRecordsBeyondGapsInSilentPartitions() {
		StoreMachine machine = machine(1_000);
		for (int i = 0; i < 1_000; i++) {
			record(machine, i, 1, new byte[500]);
		}
		assertThat(machine.buffered()).isPositive();
		this.now += 100 * SECOND;
		record(machine, 1_000, 0, new byte[1]);
		machine.work(this.now);
		assertThat(machine.buffered()).isZero();
		assertThat(machine.partitionCount).isOne();
	}

	@Test
	void writesNothingForPartitionWithoutRecords() {
		StoreMachine machine = machine(1_000);
		record(machine, 1, 1, new byte[1]);
		machine.work(this.now);
		List<byte[]> keys = new ArrayList<>();
		this.engine.scan(new byte[0], (key, value) -> keys.add(key));
		assertThat(keys).isEmpty();
	}

	@Test
	void readsNothingForRecipientWithoutSubscription() {
		StoreMachine machine = machine(1_000);
		record(machine, 1, 0, new byte[1]);
		machine.work(this.now);
		receive(machine, new Command.Fetch(partition(1), CONSUMER, TOPIC, 0, 10));
		machine.work(this.now);
		assertThat(machine.fetched()).isZero();
		machine.subscribed("DCONSUMER".getBytes(), this.now);
		receive(machine, new Command.Fetch(partition(1), CONSUMER, TOPIC, 0, 10));
		machine.work(this.now);
		assertThat(machine.fetched()).isOne();
	}

	@Test
	void repeatedRequestKeepsRestOfAnswer() {
		StoreMachine machine = machine(1_000);
		for (int sequence = 0; sequence < 10; sequence++) {
			record(machine, 1, sequence, new byte[1]);
		}
		machine.work(this.now);
		machine.subscribed("DCONSUMER".getBytes(), this.now);
		receive(machine, new Command.Fetch(partition(1), CONSUMER, TOPIC, 2, 6));
		this.sent.records = 4;
		machine.work(this.now);
		// A consumer repeats the request for its next record, which is in transit.
		receive(machine, new Command.Fetch(partition(1), CONSUMER, TOPIC, 3, 1));
		this.sent.records = 100;
		machine.work(this.now);
		assertThat(machine.fetched()).isEqualTo(6);
	}

	@Test
	void sendsEachHeadOnceDespitePauses() {
		StoreMachine machine = fill(25_000);
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		machine.subscribed("TCONSUMER".getBytes(), this.now);
		receive(machine, new Command.GetHeads(TOPIC, CONSUMER));
		this.sent.room = 0;
		for (int turn = 0; turn < 1_000 && !this.sent.commands.contains(end(25_000)); turn++) {
			this.sent.room = 100;
			machine.work(this.now);
		}
		List<Command> heads = this.sent.commands.stream().filter(Command.DirectHead.class::isInstance).toList();
		assertThat(heads).hasSize(25_000).doesNotHaveDuplicates();
		assertThat(this.sent.commands).last().isEqualTo(end(25_000));
	}

	@Test
	void continuesWithHeadsWhenTheyAreRequestedAgain() {
		StoreMachine machine = fill(5_000);
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		machine.subscribed("TCONSUMER".getBytes(), this.now);
		for (int turn = 0; turn < 60; turn++) {
			receive(machine, new Command.GetHeads(TOPIC, CONSUMER));
			this.sent.room = 100;
			machine.work(this.now);
		}
		Set<Command> heads = new HashSet<>(this.sent.commands);
		heads.removeIf((command) -> !(command instanceof Command.DirectHead));
		assertThat(heads).hasSize(5_000);
		assertThat(this.sent.commands).doesNotContain(end(5_000));
	}

	@Test
	void sendsEveryHeadWhilePartitionsAreAdded() {
		StoreMachine machine = fill(1_000);
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		machine.subscribed("TCONSUMER".getBytes(), this.now);
		request(machine, 300);
		add(machine, 1_000, 600);
		this.sent.commands.clear();
		request(machine, 100);
		add(machine, 1_600, 600);
		this.sent.room = Integer.MAX_VALUE;
		machine.work(this.now);
		Set<Bytes> heads = new HashSet<>();
		this.sent.commands.forEach((command) -> {
			if (command instanceof Command.DirectHead head) {
				heads.add(head.address());
			}
		});
		for (int i = 0; i < 1_600; i++) {
			assertThat(heads).contains(partition(i));
		}
		assertThat(this.sent.commands).last().isInstanceOf(Command.EndOfHeads.class);
	}

	@Test
	void sendsNoEndWhenHeadsMayHaveBeenDropped() {
		StoreMachine machine = fill(1_000);
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		machine.subscribed("TCONSUMER".getBytes(), this.now);
		this.sent.dropping = true;
		request(machine, 300);
		this.sent.dropping = false;
		this.sent.room = Integer.MAX_VALUE;
		machine.work(this.now);
		assertThat(this.sent.commands).hasSize(1_000).allMatch(Command.DirectHead.class::isInstance);
		request(machine, Integer.MAX_VALUE);
		assertThat(this.sent.commands).last().isEqualTo(end(1_000));
	}

	/** Adds partitions while there is room only for their acknowledgments. */
	private void add(StoreMachine machine, int first, int count) {
		for (int i = 0; i < count; i++) {
			record(machine, first + i, 0, new byte[1]);
		}
		this.sent.room = count;
		machine.work(this.now);
	}

	private void request(StoreMachine machine, int room) {
		this.sent.room = room;
		receive(machine, new Command.GetHeads(TOPIC, CONSUMER));
		machine.work(this.now);
	}

	@Test
	void sendsNoEndToConsumerThatDoesNotSupportIt() {
		StoreMachine machine = fill(10);
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		receive(machine, new Command.GetHeads(TOPIC, CONSUMER));
		machine.work(this.now);
		assertThat(this.sent.commands).hasSize(10).allMatch(Command.DirectHead.class::isInstance);
	}

	@Test
	void sendsNoHeadsToRecipientWithoutSubscription() {
		StoreMachine machine = fill(10);
		receive(machine, new Command.GetHeads(TOPIC, CONSUMER));
		receive(machine, new Command.ConsumerHello(STORE, CONSUMER, List.of(TOPIC)));
		machine.work(this.now);
		assertThat(this.sent.commands).isEmpty();
		machine.subscribed("ECONSUMER".getBytes(), this.now);
		receive(machine, new Command.ConsumerHello(STORE, CONSUMER, List.of(TOPIC)));
		machine.work(this.now);
		assertThat(this.sent.commands).hasSize(10);
	}

	@Test
	void sendsEveryHeadToStoreThatSendsHelloWithoutTopic() {
		StoreMachine machine = fill(10);
		machine.subscribed("EOTHER".getBytes(), this.now);
		machine.subscribed("WOTHER".getBytes(), this.now);
		this.sent.commands.clear();
		receive(machine, new Command.ConsumerHello(STORE, Bytes.of("OTHER"), List.of()));
		machine.work(this.now);
		assertThat(this.sent.commands).hasSize(10).allMatch(Command.DirectHead.class::isInstance);
	}

	private static Command end(int count) {
		return new Command.EndOfHeads(CONSUMER, STORE, TOPIC, count);
	}

	private StoreMachine fill(int partitions) {
		StoreMachine machine = machine(100_000);
		for (int i = 0; i < partitions; i++) {
			record(machine, i, 0, new byte[1]);
		}
		machine.work(this.now);
		this.sent.commands.clear();
		return machine;
	}

	private StoreMachine machine(int maxPartitions) {
		ReadingOptions reading = new ReadingOptions(16_384, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(5));
		return new StoreMachine(STORE,
				Store.builder(NodeOptions.tower("tower")).replicationInterval(Duration.ofHours(10)).reading(reading),
				new PartitionLimit(maxPartitions), new RecordLog(this.engine), this.sent, this.now);
	}

	private void record(StoreMachine machine, int partition, long sequence, byte[] content) {
		machine.received(Command.record(partition(partition), TOPIC).at(sequence), content, this.now);
	}

	private void receive(StoreMachine machine, Command command) {
		machine.received(command.encode(), null, this.now);
	}

	private static Bytes partition(int number) {
		return Bytes.of("%032X".formatted(number));
	}

	/** {@code Machine.Output} with limited room that records commands. */
	static final class Sent implements Machine.Output {

		private final List<Command> commands = new ArrayList<>();

		private int room = Integer.MAX_VALUE;

		/** Number of records that are still accepted. */
		private int records = Integer.MAX_VALUE;

		private boolean dropping;

		@Override
		public void send(Command command) {
			this.commands.add(command);
			this.room--;
		}

		@Override
		public boolean hasRoom() {
			return this.room > 0;
		}

		@Override
		public boolean isDropping() {
			return this.dropping;
		}

		@Override
		public boolean offer(byte[] header, Bytes content) {
			if (this.records-- == 0) {
				this.records = 0;
				return false;
			}
			Command command = Command.decode(header, content.toArray());
			assertThat(command).isNotNull();
			this.commands.add(command);
			return true;
		}

	}

}
