package io.statestore.dafka.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.PartitionKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Power failures, which truncate the write-ahead logs of a store. Afterward, each
 * partition must be complete at least up to the last synced record, except for records
 * that retention removed. Each run tries different states of the disk;
 * {@code -Dpower.failures} sets their percentage.
 */
class PowerFailureTests {

	private static final int TABLE_SIZE = 32 << 10;

	private static final int PARTITIONS = 3;

	private static final int EVERY_BYTE = Integer.MAX_VALUE;

	private static final int PERCENTAGE = Integer.getInteger("power.failures", 25);

	private final Random random = new Random(1);

	private final Random choice = new Random();

	/** Expected partitions. In each state, records at the end may be missing. */
	private final Map<PartitionKey, Expected> expected = new LinkedHashMap<>();

	@TempDir
	Path directory;

	private CrashingDisk disk = new CrashingDisk(Path.of(""));

	private RecordLog log = new RecordLog(new MemoryEngine());

	private long millis = 1_000;

	private int states;

	@AfterEach
	void close() {
		this.log.close();
		this.disk.close();
	}

	@Test
	void opensAfterInterruptedRetention() throws RocksDBException {
		open((options) -> {
		});
		for (int i = 0; i < 300; i++) {
			append(i % PARTITIONS, 10);
			flush(false);
		}
		compact();
		long tables = this.disk.tables();
		assertThat(tables).isGreaterThan(20);
		assertOpensWhereverCut(5);
		for (int part = 2; part >= 1; part--) {
			retain(this.log.bytes() * part / (part + 1), 10);
			append(part % PARTITIONS, 1);
			flush(part == 1);
			assertOpensWhereverCut(5);
		}
		assertThat(this.disk.tables()).as("tables of " + tables).isLessThan(tables * 3 / 4);
		retain(0, EVERY_BYTE);
	}

	@Test
	void keepsSyncedRecordsAndPrefixOfRest() {
		open((options) -> {
		});
		for (int i = 0; i < 12; i++) {
			append(i % PARTITIONS, 1 + i % 4);
			append((i + 1) % PARTITIONS, 1);
			flush(i % 5 == 4);
			assertOpensWhereverCut(5);
		}
		append(0, 1);
		flush(true);
		assertThat(this.expected.values()).anyMatch((partition) -> partition.synced == partition.written);
		this.log.lost(partition(0), partition(0).next() + 3, 1);
		changed();
		assertOpensWhereverCut(EVERY_BYTE);
		append(0, 1);
		flush(false);
		assertOpensWhereverCut(5);
	}

	@Test
	void opensAfterPowerFailureDuringFirstStart() {
		open((options) -> {
		});
		Path crashed = this.directory.resolve("crashed");
		this.disk.crash(crashed, Map.of(this.disk.logs().keySet().iterator().next(), -1L));
		for (int i = 0; i < 2; i++) {
			try (RecordLog opened = new RecordLog(RocksEngine.open(crashed))) {
				assertThat(opened.partitions()).isEmpty();
			}
		}
	}

	@Test
	void reportsUnreadableWrites() {
		open((options) -> {
		});
		append(0, 1);
		flush(false);
		String log = this.disk.logs().keySet().iterator().next();
		Path crashed = this.directory.resolve("crashed");
		this.disk.crash(crashed, Map.of(log, this.disk.logs().values().iterator().next() - 1));
		RocksEngine.open(crashed).close();
		assertThat(RocksEngine.droppedWrites(crashed)).singleElement().asString().contains(log).contains("truncated");
	}

	@Test
	void leavesNoGapIfOneOfSeveralLogsIsLost() {
		open((options) -> options.setMaxWriteBufferNumber(16).setMinWriteBufferNumberToMerge(8));
		for (int i = 0; i < 110; i++) {
			append(i % PARTITIONS, 4);
			flush(i == 3);
		}
		List<String> logs = new ArrayList<>(this.disk.logs().keySet());
		assertThat(logs).hasSizeGreaterThan(2);
		for (int lost = 0; lost < logs.size(); lost++) {
			for (long cut : this.disk.cuts(logs.get(lost), 3)) {
				assertOpens(this.disk, Map.of(logs.get(lost), cut));
			}
			Map<String, Long> missing = new LinkedHashMap<>();
			logs.subList(Math.max(1, lost), logs.size()).forEach((log) -> missing.put(log, -1L));
			assertOpens(this.disk, missing);
		}
	}

	private void open(Consumer<Options> tuning) {
		this.log.close();
		Path records = this.directory.resolve("records");
		this.disk = new CrashingDisk(records);
		this.log = new RecordLog(RocksEngine.open(records, (options) -> {
			small(options);
			tuning.accept(options);
			this.disk.observe(options);
		}));
	}

	private static void small(Options options) {
		options.setWriteBufferSize(TABLE_SIZE).setTargetFileSizeBase(TABLE_SIZE).setDisableAutoCompactions(true);
	}

	/** Compacts all files into the last level, so that retention can delete them. */
	private void compact() throws RocksDBException {
		this.log.close();
		try (Options options = new Options(); RocksDB db = compacting(options)) {
			db.compactRange();
		}
		this.disk.close();
		open((options) -> {
		});
		this.expected.values().forEach((partition) -> partition.synced = partition.written);
		// Registers the logs of the new process and syncs them.
		append(0, 1);
		flush(true);
	}

	private RocksDB compacting(Options options) throws RocksDBException {
		small(options);
		return RocksDB.open(options, this.directory.resolve("records").toString());
	}

	private StoredPartition partition(int index) {
		return this.log.partition(new PartitionKey(Bytes.of("P" + index), Bytes.of("t")));
	}

	private void append(int index, int count) {
		StoredPartition partition = partition(index);
		Expected known = this.expected.computeIfAbsent(partition.key(), (key) -> new Expected());
		for (int i = 0; i < count; i++) {
			byte[] content = new byte[200 + this.random.nextInt(200)];
			this.random.nextBytes(content);
			this.log.append(partition, content);
			known.contents.add(content);
		}
	}

	private void flush(boolean sync) {
		this.log.flush(sync, this.millis++);
		changed();
	}

	private void changed() {
		boolean synced = this.disk.changed();
		this.expected.forEach((key, partition) -> {
			StoredPartition stored = this.log.find(key);
			partition.written = (stored != null) ? stored.next() : 0;
			while (partition.contents.size() < partition.written) {
				partition.contents.add(null);
			}
			partition.synced = synced ? partition.written : partition.synced;
		});
	}

	/** Simulates power failures after retention, and before it deletes files. */
	private void retain(long maxBytes, int cuts) {
		Path before = this.directory.resolve("before");
		this.disk.crash(before, Map.of());
		this.log.retain(0, maxBytes);
		this.expected.forEach((key, partition) -> partition.first = first(this.log, key));
		try (CrashingDisk interrupted = this.disk.withLogsIn(before)) {
			assertOpensWhereverCut(interrupted, cuts);
		}
		changed();
		assertOpensWhereverCut(EVERY_BYTE);
	}

	private void assertOpensWhereverCut(int most) {
		assertOpensWhereverCut(this.disk, most);
	}

	private void assertOpensWhereverCut(CrashingDisk disk, int most) {
		List<String> logs = List.copyOf(disk.logs().keySet());
		String last = logs.get(logs.size() - 1);
		disk.cuts(last, most).forEach((cut) -> assertOpens(disk, Map.of(last, cut)));
	}

	private void assertOpens(CrashingDisk disk, Map<String, Long> cuts) {
		this.states++;
		if (this.choice.nextInt(100) >= PERCENTAGE) {
			return;
		}
		Path crashed = this.directory.resolve("crashed");
		disk.crash(crashed, cuts);
		String state = "State " + this.states + ", logs cut at " + cuts;
		Map<PartitionKey, Long> next = new LinkedHashMap<>();
		try (RecordLog opened = new RecordLog(RocksEngine.open(crashed))) {
			this.expected.forEach((key, partition) -> {
				partition.check(state, opened, key);
				StoredPartition stored = opened.partition(key);
				opened.append(stored, new byte[1]);
				next.put(key, stored.next() + 1);
			});
			if (this.states % 5 != 0) {
				return;
			}
			opened.flush(true, this.millis);
		}
		try (RecordLog opened = new RecordLog(RocksEngine.open(crashed))) {
			next.forEach((key, value) -> assertThat(opened.partition(key).next()).as(state).isEqualTo(value));
		}
	}

	private static long first(RecordLog log, PartitionKey key) {
		StoredPartition partition = log.partition(key);
		long[] first = { partition.next() };
		log.read(partition, 0, (sequence, content) -> {
			first[0] = sequence;
			return false;
		});
		return first[0];
	}

	private static final class Expected {

		/** Records by sequence number; {@code null} for lost records. */
		final List<byte @Nullable []> contents = new ArrayList<>();

		/** Sequence number of the first record that retention has kept. */
		long first;

		long written;

		long synced;

		void check(String state, RecordLog log, PartitionKey key) {
			StoredPartition partition = log.find(key);
			long next = (partition != null) ? partition.next() : 0;
			assertThat(next).as(state).isBetween(this.synced, this.written);
			if (partition == null) {
				return;
			}
			List<Long> read = new ArrayList<>();
			log.read(partition, 0, (sequence, content) -> {
				assertThat(content).as(state).isEqualTo(this.contents.get((int) sequence));
				return read.add(sequence);
			});
			List<Long> complete = new ArrayList<>();
			for (long i = read.isEmpty() ? this.first : Math.min(this.first, read.get(0)); i < next; i++) {
				if (this.contents.get((int) i) != null) {
					complete.add(i);
				}
			}
			assertThat(read).as(state).isEqualTo(complete);
		}

	}

}
