package io.statestore.dafka.store;

import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Partitions whose records were all removed by retention. */
class ForgottenPartitionsTests {

	private static final int MAX_REMEMBERED = 100;

	private static final Bytes TOPIC = Bytes.of("t");

	private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

	private final MemoryEngine engine = new MemoryEngine();

	private final RecordLog log = new RecordLog(this.engine);

	private final PartitionLimit limit = new PartitionLimit(10, MAX_REMEMBERED);

	private long now = 1;

	private final StoreMachine machine = new StoreMachine(Bytes.of("STORE"), Store.builder(NodeOptions.tower("tower")),
			this.limit, this.log, new StoreLimitsTests.Sent(), this.now);

	@Test
	void admitsPartitionsWhileRetentionRemovesRecords() {
		for (int life = 0; life < 1_000; life++) {
			write(life);
			this.log.retain(Long.MAX_VALUE, 0);
		}
		assertThat(this.limit.refused()).isZero();
		assertThat(this.log.partitions()).hasSizeLessThanOrEqualTo(MAX_REMEMBERED);
		assertThat(new RecordLog(this.engine).partitions()).hasSameSizeAs(this.log.partitions());
	}

	@Test
	void keepsNextSequenceNumberWhileThereIsRoom() {
		write(0);
		this.log.retain(Long.MAX_VALUE, 0);
		for (int life = 1; life < MAX_REMEMBERED; life++) {
			write(life);
		}
		assertThat(this.log.find(new PartitionKey(Bytes.of("P0"), TOPIC))).extracting(StoredPartition::next)
			.isEqualTo(1L);
	}

	@Test
	void refusesNewPartitionsWhenAllHaveRecords() {
		for (int life = 0; life <= MAX_REMEMBERED; life++) {
			write(life);
		}
		assertThat(this.log.partitions()).hasSize(MAX_REMEMBERED);
		assertThat(this.limit.refused()).isOne();
	}

	private void write(int life) {
		this.now += MINUTE;
		this.machine.received(Command.record(Bytes.of("P" + life), TOPIC).at(0), new byte[1], this.now);
		this.machine.work(this.now);
	}

}
