package io.statestore.cluster.storage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import io.statestore.broker.log.DamagedLogException;
import io.statestore.broker.log.LogOptions;
import io.statestore.broker.log.SpareSpace;
import io.statestore.broker.storage.Fsync;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Compares the log with a sorted map. */
class RaftLogTests {

	private static final LogOptions OPTIONS = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 4_096)
		.indexed(new SpareSpace(8_192));

	private static final String MEMBERS = "127.0.0.1:1,127.0.0.1:2,127.0.0.1:3";

	@TempDir
	private Path directory;

	@Property(tries = 25)
	void behavesLikeSortedMap(@ForAll("operations") List<Operation> operations) throws IOException {
		Path directory = Files.createTempDirectory("raft-log");
		Model model = new Model(open(directory), directory);
		for (Operation operation : operations) {
			model.run(operation);
			model.verify();
		}
		model.close();
		delete(directory);
	}

	@Provide
	Arbitrary<List<Operation>> operations() {
		return Combinators.combine(Arbitraries.of(Kind.values()), Arbitraries.integers().between(0, 1_000))
			.as(Operation::new)
			.list()
			.ofMaxSize(40);
	}

	@Test
	void keepsAllKindsOfEntries() {
		RaftLog log = open(this.directory);
		LogEntry members = entry(EntryType.ENTRY_TYPE_CONFIGURATION, 2, 1, null);
		members.setPeers(peers(MEMBERS));
		members.setOldPeers(peers("127.0.0.1:1"));
		members.setLearners(peers("[::1]:4"));
		assertThat(log.appendEntries(List.of(entry(EntryType.ENTRY_TYPE_NO_OP, 1, 1, null), members,
				entry(EntryType.ENTRY_TYPE_DATA, 3, 2, "text"), entry(EntryType.ENTRY_TYPE_DATA, 4, 2, ""))))
			.isEqualTo(4);
		log.close();
		RaftLog again = open(this.directory);
		assertThat(again.getEntry(1)).satisfies((entry) -> {
			assertThat(entry.getType()).isEqualTo(EntryType.ENTRY_TYPE_NO_OP);
			assertThat(entry.getId()).isEqualTo(new LogId(1, 1));
		});
		assertThat(again.getEntry(2)).satisfies((entry) -> {
			assertThat(entry.getPeers()).isEqualTo(members.getPeers());
			assertThat(entry.getOldPeers()).isEqualTo(members.getOldPeers());
			assertThat(entry.getLearners()).isEqualTo(members.getLearners());
			assertThat(entry.getOldLearners()).isNull();
		});
		assertThat(text(again.getEntry(3))).isEqualTo("text");
		assertThat(text(again.getEntry(4))).isEmpty();
		again.close();
	}

	@Test
	void reportsMembersStillInLog() {
		RaftLog log = open(this.directory);
		for (int index = 1; index <= 6; index++) {
			LogEntry entry = entry(EntryType.ENTRY_TYPE_CONFIGURATION, index, 1, null);
			entry.setPeers(peers("127.0.0.1:" + index));
			log.appendEntry(entry);
		}
		log.truncateSuffix(4);
		log.truncatePrefix(3);
		log.close();
		RaftLog again = open(this.directory);
		ConfigurationManager manager = new ConfigurationManager();
		LogStorageOptions options = new LogStorageOptions();
		options.setConfigurationManager(manager);
		again.init(options);
		assertThat(manager.get(2).getId().getIndex()).isZero();
		assertThat(manager.get(3).getConf().getPeers()).containsExactlyElementsOf(peers("127.0.0.1:3"));
		assertThat(manager.getLastConfiguration().getId().getIndex()).isEqualTo(4);
		again.close();
	}

	@Test
	void continuesWhenFilesOfRemovedEntriesRemain() throws IOException {
		RaftLog log = open(this.directory);
		for (int index = 1; index <= 6; index++) {
			log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, index, 1, "text"));
		}
		// As on a full disk, the file with the first entry's index cannot be written.
		Path obstacle = Files.createDirectories(this.directory.resolve("start.tmp/any"));
		assertThat(log.truncatePrefix(3)).isTrue();
		assertThat(log.getFirstLogIndex()).isEqualTo(3);
		assertThat(log.reset(10)).isTrue();
		assertThat(log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, 10, 2, "later"))).isTrue();
		delete(Objects.requireNonNull(obstacle.getParent()));
		assertThat(log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, 11, 2, "last"))).isTrue();
		assertThat(log.truncatePrefix(11)).isTrue();
		log.close();
		RaftLog again = open(this.directory);
		assertThat(again.getFirstLogIndex()).isEqualTo(11);
		assertThat(text(again.getEntry(11))).isEqualTo("last");
		again.close();
	}

	@Test
	void refusesFlippedBit() throws IOException {
		RaftLog log = open(this.directory);
		for (int index = 1; index <= 20; index++) {
			log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, index, 1, "text " + index));
		}
		log.close();
		Path segment;
		try (var files = Files.list(this.directory.resolve("log"))) {
			segment = files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow();
		}
		byte[] content = Files.readAllBytes(segment);
		content[new String(content, StandardCharsets.ISO_8859_1).indexOf("text 5")] ^= 1;
		Files.write(segment, content);
		assertThatExceptionOfType(DamagedLogException.class).isThrownBy(() -> open(this.directory))
			.withMessageContaining(segment + " is damaged at position");
	}

	@Test
	void refusesChangesAfterUnreadableEntry() throws IOException {
		RaftLog log = open(this.directory);
		for (int index = 1; index <= 20; index++) {
			log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, index, 1, "text " + index));
		}
		flipBit("text 5");
		assertThat(log.getEntry(4)).isNotNull();
		assertThat(log.getEntry(5)).isNull();
		assertThat(log.appendEntry(entry(EntryType.ENTRY_TYPE_DATA, 21, 1, "x"))).isFalse();
		assertThat(log.truncateSuffix(4)).isFalse();
		log.close();
	}

	/** Flips a bit of the first entry that begins with a text. */
	private void flipBit(String text) throws IOException {
		Path segment;
		try (var files = Files.list(this.directory.resolve("log"))) {
			segment = files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow();
		}
		byte[] content = Files.readAllBytes(segment);
		int position = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
		try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
			file.seek(position);
			file.write(content[position] ^ 1);
		}
	}

	private static RaftLog open(Path directory) {
		return new RaftLog(directory, OPTIONS, UUID.randomUUID());
	}

	private static List<PeerId> peers(String text) {
		List<PeerId> peers = new ArrayList<>();
		for (String part : text.split(",")) {
			PeerId peer = new PeerId();
			assertThat(peer.parse(part)).isTrue();
			peers.add(peer);
		}
		return peers;
	}

	private static LogEntry entry(EntryType type, long index, long term, @Nullable String text) {
		LogEntry entry = new LogEntry(type);
		entry.setId(new LogId(index, term));
		if (text != null) {
			entry.setData(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
		}
		return entry;
	}

	private static String text(@Nullable LogEntry entry) {
		return StandardCharsets.UTF_8.decode(Objects.requireNonNull(entry).getData().duplicate()).toString();
	}

	private static void delete(Path directory) throws IOException {
		try (var files = Files.walk(directory)) {
			for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
				Files.delete(file);
			}
		}
	}

	/** Kind of an operation. */
	enum Kind {

		APPEND, APPEND_LARGE, TRUNCATE_PREFIX, TRUNCATE_SUFFIX, RESET, RESTART

	}

	/**
	 * A call by JRaft.
	 *
	 * @param kind the kind of operation
	 * @param number determines the argument
	 */
	record Operation(Kind kind, int number) {
	}

	/** A log and its expected content. */
	private static final class Model {

		private final Path directory;

		private final TreeMap<Long, String> entries = new TreeMap<>();

		private RaftLog log;

		private long next = 1;

		private long term = 1;

		Model(RaftLog log, Path directory) {
			this.log = log;
			this.directory = directory;
		}

		void run(Operation operation) {
			switch (operation.kind()) {
				case APPEND -> append(operation.number() % 7 + 1, "x".repeat(operation.number() % 50));
				case APPEND_LARGE -> append(2, "x".repeat(operation.number() * 3));
				case TRUNCATE_PREFIX -> truncatePrefix(first() + operation.number() % (this.next - first() + 3));
				case TRUNCATE_SUFFIX -> truncateSuffix(this.next - 1 - operation.number() % (this.next - first() + 1));
				case RESET -> {
					this.next += operation.number();
					this.entries.clear();
					assertThat(this.log.reset(this.next)).isTrue();
				}
				case RESTART -> {
					this.log.close();
					this.log = open(this.directory);
				}
			}
		}

		private long first() {
			return this.entries.isEmpty() ? this.next : this.entries.firstKey();
		}

		private void append(int count, String text) {
			List<LogEntry> batch = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				String content = this.term + "/" + this.next + text;
				batch.add(entry(EntryType.ENTRY_TYPE_DATA, this.next, this.term, content));
				this.entries.put(this.next++, content);
			}
			assertThat(this.log.appendEntries(batch)).isEqualTo(count);
		}

		private void truncatePrefix(long firstKept) {
			this.entries.headMap(firstKept).clear();
			this.next = Math.max(this.next, firstKept);
			assertThat(this.log.truncatePrefix(firstKept)).isTrue();
		}

		private void truncateSuffix(long lastKept) {
			this.entries.tailMap(lastKept, false).clear();
			this.next = lastKept + 1;
			this.term++;
			assertThat(this.log.truncateSuffix(lastKept)).isTrue();
		}

		void verify() {
			assertThat(this.log.getFirstLogIndex()).isEqualTo(first());
			assertThat(this.log.getLastLogIndex()).isEqualTo(this.entries.isEmpty() ? 0 : this.entries.lastKey());
			assertThat(this.log.getEntry(first() - 1)).isNull();
			assertThat(this.log.getEntry(this.next)).isNull();
			this.entries.forEach((index, content) -> {
				LogEntry entry = this.log.getEntry(index);
				assertThat(entry).isNotNull();
				assertThat(entry.getId().getIndex()).isEqualTo(index);
				assertThat(text(entry)).isEqualTo(content);
			});
		}

		void close() {
			this.log.close();
		}

	}

}
