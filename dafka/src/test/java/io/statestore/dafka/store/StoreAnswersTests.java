package io.statestore.dafka.store;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Encoder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Answers of a store to requests for records. */
class StoreAnswersTests extends StoreLossFixture {

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

}
