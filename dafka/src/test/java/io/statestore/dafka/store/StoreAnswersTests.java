package io.statestore.dafka.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A store's answers to requests for records. */
class StoreAnswersTests extends StoreLossFixture {

	@Test
	void answersEachPartitionInBoundedSlices() {
		for (int i = 0; i < 64; i++) {
			receive(Command.record(MISSING, TOPIC).at(i), new byte[64 << 10]);
			receive(Command.record(OTHER, TOPIC).at(i), new byte[64 << 10]);
		}
		this.machine.work(this.now);
		this.machine.subscribed("DCONSUMER".getBytes(), this.now);
		this.sent.clear();
		for (Bytes partition : List.of(MISSING, OTHER)) {
			receive(new Command.Fetch(partition, Bytes.of("CONSUMER"), TOPIC, 0, 64).encode(), null);
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

	@Test
	void requestsAllTopicHeadsFromOtherStore() {
		assertThat(this.machine.subscriptions())
			.contains("W".concat(STORE.toText()).getBytes(StandardCharsets.US_ASCII));
		this.machine.subscribed(FAST_STORE, this.now);
		byte[] header = this.sent.get(0).encode();
		assertThat(header).containsExactly(ByteBuffer.allocate(7 + 1 + STORE.size() + 8)
			.put("WFAST".getBytes(StandardCharsets.US_ASCII))
			.put(new byte[] { 0, 1, (byte) STORE.size() })
			.put(STORE.toArray())
			.putInt(1)
			.putInt(0)
			.array());
	}

	@Test
	void answersEarlierRequestsAfterRunningAnswer() {
		sendPartOfAnswer();
		fetch(32, 32);
		fetch(16, 32);
		fetch(0, 24);
		fetch(0, 1);
		assertSent(LongStream.range(32, 160), LongStream.range(0, 32));
	}

	@Test
	void requestReplacesEarlierRequestItIncludes() {
		sendPartOfAnswer();
		fetch(8, 8);
		fetch(0, 160);
		assertSent(LongStream.range(32, 96), LongStream.range(0, 160));
	}

	@Test
	void restartedAnswerKeepsEarlierRequestStart() {
		sendPartOfAnswer();
		fetch(0, 24);
		fetch(16, 144);
		assertSent(LongStream.range(32, 96), LongStream.range(16, 160), LongStream.range(0, 16));
	}

	/** Requests records 32 to 159, of which the first 64 are sent. */
	private void sendPartOfAnswer() {
		for (int i = 0; i < 160; i++) {
			receive(Command.record(MISSING, TOPIC).at(i), new byte[64 << 10]);
		}
		this.machine.work(this.now);
		this.machine.subscribed("DCONSUMER".getBytes(), this.now);
		this.sent.clear();
		fetch(32, 128);
		this.machine.work(this.now);
		assertThat(this.sent).hasSize(64);
	}

	/** Sends the rest and verifies the sequence numbers of all records sent. */
	private void assertSent(LongStream... expected) {
		for (int turn = 0; turn < 10; turn++) {
			this.machine.work(this.now);
		}
		assertThat(this.sent.stream().map((command) -> ((Command.DirectRecord) command).sequence()))
			.containsExactlyElementsOf(Stream.of(expected).flatMap(LongStream::boxed).toList());
	}

	private void fetch(int first, int count) {
		receive(new Command.Fetch(MISSING, Bytes.of("CONSUMER"), TOPIC, first, count).encode(), null);
	}

}
