package io.statestore.dafka.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.ReadingOptions;
import io.statestore.dafka.reading.internal.PartitionKey;
import io.statestore.dafka.reading.internal.PartitionLimit;
import io.statestore.dafka.reading.internal.PartitionReader;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Partitions whose records were all removed by retention. */
class ForgottenPartitionsTests {

	private static final int MAX_REMEMBERED = 100;

	private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

	private final MemoryEngine engine = new MemoryEngine();

	private final RecordLog log = new RecordLog(this.engine);

	private final PartitionLimit limit = new PartitionLimit(10, MAX_REMEMBERED);

	private final List<StoredPartition> forgotten = new ArrayList<>();

	private long now = 1;

	private final LivePartitions partitions = new LivePartitions(this.log, this.limit, this::open, (partition) -> {
	}, this.forgotten::addAll, () -> {
	}, this.now);

	@Test
	void admitsPartitionsWhileRetentionRemovesRecords() {
		for (int life = 0; life < 1_000; life++) {
			write(life);
			this.log.retain(Long.MAX_VALUE, 0);
		}
		assertThat(this.limit.refused()).isZero();
		assertThat(this.log.partitions()).hasSizeLessThanOrEqualTo(MAX_REMEMBERED);
		assertThat(this.forgotten).hasSizeGreaterThanOrEqualTo(900).doesNotHaveDuplicates();
		assertThat(new RecordLog(this.engine).partitions()).hasSameSizeAs(this.log.partitions());
	}

	@Test
	void keepsNextSequenceNumberWhileThereIsRoom() {
		write(0);
		this.log.retain(Long.MAX_VALUE, 0);
		for (int life = 1; life < MAX_REMEMBERED; life++) {
			write(life);
		}
		assertThat(this.forgotten).isEmpty();
		assertThat(this.log.find(key(0))).extracting(StoredPartition::next).isEqualTo(1L);
	}

	@Test
	void refusesFurtherPartitionsWhenAllHaveRecords() {
		for (int life = 0; life <= MAX_REMEMBERED; life++) {
			write(life);
		}
		assertThat(this.forgotten).isEmpty();
		assertThat(this.limit.refused()).isOne();
	}

	private void write(int life) {
		this.now += MINUTE;
		StorePartition partition = this.partitions.open(key(life), this.now);
		if (partition != null) {
			this.log.append(partition.stored, new byte[1]);
			this.log.flush(false, 1);
		}
		this.partitions.sweep(this.now);
	}

	private StorePartition open(StoredPartition stored) {
		PartitionReader.Sink sink = new PartitionReader.Sink() {
			@Override
			public boolean accept(long sequence, byte[] content) {
				return true;
			}

			@Override
			public void lost(long first, long last) {
			}
		};
		return new StorePartition(stored, new PartitionReader(ReadingOptions.defaults(), stored.next(), sink), 0, 0);
	}

	private static PartitionKey key(int life) {
		return new PartitionKey(Bytes.of("P" + life), Bytes.of("t"));
	}

}
