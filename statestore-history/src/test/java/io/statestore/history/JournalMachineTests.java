package io.statestore.history;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.store.storage.MemoryEngine;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Encoder;
import io.statestore.dafka.wire.SequencedHeader;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Machine that publishes a journal, without a network. */
@Isolated("captures the log")
class JournalMachineTests {

	private static final Bytes CONSUMER = Bytes.of("consumer");

	private final CapturedLog log = new CapturedLog(JournalMachine.class, Level.ERROR);

	private final Journal journal = new Journal(MemoryEngine::new, Bytes.of("history"), JournalOptions.defaults());

	private final RecordingOutput output = new RecordingOutput();

	private final JournalMachine machine = new JournalMachine(this.journal, this.output, 0);

	@BeforeEach
	void listen() {
		this.machine.subscribed("Dconsumer".getBytes(StandardCharsets.US_ASCII), 0);
	}

	@AfterEach
	void close() {
		this.log.close();
		this.journal.close();
	}

	private void receive(Command command) {
		assertThat(this.machine.received(Encoder.header(command), null, 0)).isTrue();
	}

	private void write(int count) {
		for (int i = 0; i < count; i++) {
			this.journal.write(List.of(new byte[] { (byte) i }));
		}
	}

	private void fetch(long sequence, long count) {
		receive(new Command.Fetch(this.journal.key().address(), CONSUMER, this.journal.key().subject(), sequence,
				count));
	}

	@Test
	void publishesNewChangesOnceConsumersSubscribe() {
		write(3);
		this.machine.work(0);
		assertThat(this.output.records).isEmpty();
		this.machine.subscribed(new byte[] { 'H' }, 0);
		write(2);
		this.machine.work(0);
		assertThat(this.output.records).containsExactly(3L, 4L);
		assertThat(this.output.commands).last()
			.isEqualTo(new Command.Head(this.journal.key().address(), this.journal.key().subject(), 4));
	}

	@Test
	void answersRequestsAndWaitsForRoom() {
		write(10);
		fetch(2, 3);
		this.machine.work(0);
		assertThat(this.output.records).containsExactly(2L, 3L, 4L);
		this.output.records.clear();
		this.output.room = 1;
		fetch(5, 2);
		fetch(7, 100);
		this.machine.work(0);
		this.output.room = 100;
		this.machine.work(0);
		this.machine.work(0);
		assertThat(this.output.records).containsExactly(5L, 6L, 7L, 8L, 9L);
	}

	@Test
	void repeatedRequestKeepsRestOfAnswer() {
		write(10);
		this.output.room = 4;
		fetch(2, 6);
		this.machine.work(0);
		assertThat(this.output.records).containsExactly(2L, 3L, 4L, 5L);
		// A consumer repeats the request for its next record, which is in transit.
		fetch(3, 1);
		this.output.room = 100;
		this.machine.work(0);
		assertThat(this.output.records).containsExactly(2L, 3L, 4L, 5L, 6L, 7L);
	}

	@Test
	void ignoresFetchOfRecipientWithoutSubscription() {
		write(10);
		this.machine.unsubscribed("Dconsumer".getBytes(StandardCharsets.US_ASCII));
		fetch(0, 10);
		this.machine.work(0);
		assertThat(this.output.records).isEmpty();
	}

	@Test
	void boundsRecordsOfTurnForAllRecipientsTogether() {
		write(5_000);
		this.output.room = 1_000_000;
		for (int i = 0; i < 20; i++) {
			Bytes recipient = Bytes.of("recipient-" + i);
			this.machine.subscribed(("Drecipient-" + i).getBytes(StandardCharsets.US_ASCII), 0);
			receive(new Command.Fetch(this.journal.key().address(), recipient, this.journal.key().subject(), 0,
					0xFFFFFFFFL));
		}
		this.machine.work(0);
		assertThat(this.output.records).hasSizeBetween(1, 4_096);
		for (int turn = 0; turn < 30; turn++) {
			this.machine.work(0);
		}
		assertThat(this.output.records).hasSize(20 * 5_000);
	}

	@Test
	void reportsStoreAheadOfJournalOnce() {
		write(10);
		receive(new Command.Ack(this.journal.key().address(), this.journal.key().subject(), 9));
		assertThat(this.machine.acknowledged()).isEqualTo(10);
		assertThat(this.log.messages()).isEmpty();
		receive(new Command.Ack(this.journal.key().address(), this.journal.key().subject(), 10));
		receive(new Command.Ack(this.journal.key().address(), this.journal.key().subject(), 11));
		assertThat(this.log.messages()).singleElement()
			.asString()
			.contains("has 11 changes", "this journal only 10", "Give the history a new directory");
	}

	private static final class RecordingOutput implements Output {

		final List<Command> commands = new ArrayList<>();

		final List<Long> records = new ArrayList<>();

		int room = 100;

		@Override
		public boolean hasRoom() {
			return true;
		}

		@Override
		public void send(Command command) {
			this.commands.add(command);
		}

		@Override
		public boolean offer(byte[] header, Bytes content) {
			if (this.room == 0) {
				return false;
			}
			this.room--;
			this.records.add(SequencedHeader.sequence(header));
			return true;
		}

	}

}
