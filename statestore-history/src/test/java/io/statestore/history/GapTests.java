package io.statestore.history;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Changes that are unavailable when they are read, because retention has removed them, or
 * no node has them.
 */
class GapTests {

	private static final Duration NOT_AT_ALL = Duration.ZERO;

	private static final Version KEY_VERSION = TestChanges.version(2);

	private final Deque<DafkaRecord> records = new ArrayDeque<>();

	private long end;

	private final StateHistory history = new StateHistory((from) -> new Source.Cursor() {

		@Override
		public @Nullable DafkaRecord next(long nanos) {
			return GapTests.this.records.poll();
		}

		@Override
		public long end() {
			return GapTests.this.end;
		}

		@Override
		public void close() {
		}

	}, Duration.ZERO, Duration.ofMillis(100));

	private void add(long offset, Operation operation, String key, String value) {
		add(offset, operation, key, value, offset + 1, false);
	}

	/** Adds a record between a gap and the end of the content that follows. */
	private void addAfterGap(long offset, Operation operation, String key, String value, long millis) {
		add(offset, operation, key, value, millis, true);
	}

	private void add(long offset, Operation operation, String key, String value, long millis, boolean afterGap) {
		Version version = TestChanges.version(millis);
		Version keyVersion = (operation == Operation.PRESENT) ? KEY_VERSION : version;
		byte[] content = ChangeCodec.encode(operation, io.statestore.protocol.Bytes.of(key),
				io.statestore.protocol.Bytes.of(value), version, keyVersion, null, null, afterGap);
		this.records.add(new DafkaRecord("t", "P", offset, Bytes.wrap(content)));
		this.end = offset + 1;
	}

	@Test
	void reportsGapAndContinuesAfterIt() throws Exception {
		add(7, Operation.START, "", "");
		add(9, Operation.SET, "k", "b");
		add(10, Operation.SET, "k", "c");
		try (HistoryStream stream = this.history.changes(HistoryQuery.all())) {
			assertThat(stream.next(NOT_AT_ALL)).isNotNull();
			assertThatExceptionOfType(MissingChangesException.class).isThrownBy(() -> stream.next(NOT_AT_ALL))
				.withMessageContaining("1 changes from offset 8 of 't' / P on are unavailable");
			HistoryChange behind = stream.next(NOT_AT_ALL);
			assertThat(behind).isNotNull();
			assertThat(behind.position().offset()).isEqualTo(9);
			assertThat(stream.next(NOT_AT_ALL)).isNotNull();
			assertThat(stream.lag()).isZero();
		}
	}

	@Test
	void reportsGapAfterPosition() {
		add(9, Operation.SET, "other", "b");
		try (HistoryStream stream = this.history
			.changes(HistoryQuery.all().key(io.statestore.protocol.Bytes.of("k")).after(new Position("t", "P", 3)))) {
			assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> stream.next(NOT_AT_ALL))
				.withMessageContaining("5 changes from offset 4");
		}
	}

	@Test
	void refusesRebuildWithGap() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		add(3, Operation.SET, "other", "b");
		assertThatExceptionOfType(HistoryException.class).isThrownBy(this.history::rebuild)
			.withMessageContaining("has no start of the broker");
	}

	@Test
	void rebuildsFromStartAfterGap() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		add(3, Operation.SET, "other", "b");
		add(4, Operation.START, "", "");
		add(5, Operation.SET, "now", "c");
		assertThat(this.history.rebuild().entries()).containsOnlyKeys(io.statestore.protocol.Bytes.of("now"));
	}

	@Test
	void reportsGapOfBrokerOnceAndReturnsContent() throws Exception {
		add(0, Operation.START, "", "");
		addAfterGap(1, Operation.GAP, "", "", 5);
		addAfterGap(2, Operation.PRESENT, "k", "a", 5);
		addAfterGap(3, Operation.SET, "other", "b", 6);
		addAfterGap(4, Operation.PRESENT, "l", "c", 6);
		addAfterGap(5, Operation.COMPLETE, "", "", 6);
		add(6, Operation.SET, "k", "d", 7, false);
		try (HistoryStream stream = this.history.changes(HistoryQuery.all())) {
			assertThat(stream.next(NOT_AT_ALL)).isNotNull();
			assertThatExceptionOfType(MissingChangesException.class).isThrownBy(() -> stream.next(NOT_AT_ALL))
				.withMessageContaining("Changes before offset 1 of 't' / P are missing");
			for (Operation operation : List.of(Operation.GAP, Operation.PRESENT, Operation.SET, Operation.PRESENT,
					Operation.COMPLETE, Operation.SET)) {
				HistoryChange change = stream.next(NOT_AT_ALL);
				assertThat(change).isNotNull();
				assertThat(change.operation()).isEqualTo(operation);
			}
			assertThat(stream.next(NOT_AT_ALL)).isNull();
		}
	}

	@Test
	void returnsFirstGapWithoutReport() throws Exception {
		addAfterGap(0, Operation.GAP, "", "", 5);
		addAfterGap(1, Operation.PRESENT, "other", "a", 5);
		addAfterGap(2, Operation.PRESENT, "k", "a", 5);
		addAfterGap(3, Operation.COMPLETE, "", "", 5);
		try (HistoryStream stream = this.history
			.changes(HistoryQuery.all().key(io.statestore.protocol.Bytes.of("k")))) {
			for (Operation operation : List.of(Operation.GAP, Operation.PRESENT, Operation.COMPLETE)) {
				HistoryChange change = stream.next(NOT_AT_ALL);
				assertThat(change).isNotNull();
				assertThat(change.operation()).isEqualTo(operation);
			}
		}
	}

	@Test
	void refusesRepeatedVersionOfChange() throws Exception {
		add(0, Operation.SET, "k", "a", 5, false);
		add(1, Operation.SET, "k", "b", 5, false);
		try (HistoryStream stream = this.history.changes(HistoryQuery.all())) {
			assertThat(stream.next(NOT_AT_ALL)).isNotNull();
			assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> stream.next(NOT_AT_ALL))
				.withMessageContaining("has version 5:0:StateStore");
		}
	}

	@Test
	void rebuildsFromContentAfterGap() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "lost", "a");
		addAfterGap(2, Operation.GAP, "", "", 5);
		addAfterGap(3, Operation.PRESENT, "k", "a", 5);
		addAfterGap(4, Operation.SET, "new", "b", 6);
		addAfterGap(5, Operation.DELETE, "k", "", 7);
		addAfterGap(6, Operation.PRESENT, "l", "c", 7);
		addAfterGap(7, Operation.COMPLETE, "", "", 7);
		HistorySnapshot snapshot = this.history.rebuild();
		assertThat(snapshot.entries()).containsOnlyKeys(io.statestore.protocol.Bytes.of("new"),
				io.statestore.protocol.Bytes.of("l"));
		assertThat(snapshot.entries()).hasEntrySatisfying(io.statestore.protocol.Bytes.of("l"),
				(entry) -> assertThat(entry.version()).isEqualTo(KEY_VERSION));
		assertThat(snapshot.version()).isEqualTo(TestChanges.version(7));
	}

	@Test
	void refusesRebuildInsideGap() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		addAfterGap(2, Operation.GAP, "", "", 5);
		addAfterGap(3, Operation.SET, "k", "b", 6);
		assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> this.history.rebuild(TestChanges.version(6)))
			.withMessageContaining("Changes are missing in the history")
			.withMessageContaining("at version 6:0:StateStore");
	}

	@Test
	void rebuildsAtVersionBeforeGap() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		addAfterGap(2, Operation.GAP, "", "", 5);
		assertThat(this.history.rebuild(TestChanges.version(2)).entries())
			.containsOnlyKeys(io.statestore.protocol.Bytes.of("k"));
	}

	@Test
	void refusesRebuildAtLostVersion() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		addAfterGap(2, Operation.GAP, "", "", 5);
		assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> this.history.rebuild(TestChanges.version(4)))
			.withMessageContaining("between version 2:0:StateStore and version 5:0:StateStore");
	}

	@Test
	void refusesRebuildAtUnavailableVersion() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		add(4, Operation.SET, "k", "b", 9, false);
		assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> this.history.rebuild(TestChanges.version(4)))
			.withMessageContaining("between version 2:0:StateStore and version 9:0:StateStore");
	}

	@Test
	void returnsGapBehindPositionWithoutReport() throws Exception {
		add(4, Operation.SET, "other", "a", 4, false);
		addAfterGap(5, Operation.GAP, "", "", 5);
		try (HistoryStream stream = this.history
			.changes(HistoryQuery.all().key(io.statestore.protocol.Bytes.of("k")).after(new Position("t", "P", 3)))) {
			HistoryChange change = stream.next(NOT_AT_ALL);
			assertThat(change).isNotNull();
			assertThat(change.operation()).isEqualTo(Operation.GAP);
		}
	}

	@Test
	void documentedReaderContinuesAfterMissingChanges() throws Exception {
		add(5, Operation.SET, "ovens/1/recipe", "a");
		addAfterGap(6, Operation.GAP, "", "", 9);
		addAfterGap(7, Operation.COMPLETE, "", "", 9);
		add(9, Operation.SET, "ovens/1/recipe", "b", 10, false);
		DocumentationTests documentation = new DocumentationTests();
		try {
			Position last = documentation.follow(this.history, new Position("t", "P", 3));
			assertThat(last.offset()).isEqualTo(9);
		}
		finally {
			documentation.close();
		}
	}

	@Test
	void rebuildsFromContentWithoutStart() {
		add(5, Operation.SET, "lost", "a");
		add(6, Operation.CONTENT, "", "");
		add(7, Operation.PRESENT, "k", "a");
		add(8, Operation.SET, "new", "b");
		add(9, Operation.COMPLETE, "", "");
		assertThat(this.history.rebuild().entries()).containsOnlyKeys(io.statestore.protocol.Bytes.of("k"),
				io.statestore.protocol.Bytes.of("new"));
	}

	@Test
	void contentDoesNotInterruptRebuild() {
		add(0, Operation.START, "", "");
		add(1, Operation.SET, "k", "a");
		add(2, Operation.CONTENT, "", "");
		add(3, Operation.SET, "new", "b");
		assertThat(this.history.rebuild().entries()).containsOnlyKeys(io.statestore.protocol.Bytes.of("k"),
				io.statestore.protocol.Bytes.of("new"));
	}

	@Test
	void refusesRebuildWithinFirstContent() {
		add(6, Operation.CONTENT, "", "");
		add(7, Operation.PRESENT, "k", "a");
		assertThatExceptionOfType(HistoryException.class).isThrownBy(this.history::rebuild)
			.withMessageContaining("is not recorded completely");
	}

	@Test
	void refusesRebuildFromIncompleteContent() {
		addAfterGap(0, Operation.GAP, "", "", 5);
		addAfterGap(2, Operation.PRESENT, "l", "c", 5);
		addAfterGap(3, Operation.COMPLETE, "", "", 5);
		assertThatExceptionOfType(HistoryException.class).isThrownBy(this.history::rebuild)
			.withMessageContaining("has no start of the broker");
	}

	@Test
	void acceptsUnlimitedTimeout() throws Exception {
		add(0, Operation.START, "", "");
		try (HistoryStream stream = this.history.changes(HistoryQuery.all())) {
			assertThat(stream.next(ChronoUnit.FOREVER.getDuration())).isNotNull();
		}
	}

	@Test
	void refusesInvalidQueries() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> HistoryQuery.all().key(io.statestore.protocol.Bytes.EMPTY))
			.withMessage("'key' is empty but must be the key whose changes to read");
		for (long offset : List.of(-2L, Long.MAX_VALUE)) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> HistoryQuery.all().after(new Position("t", "P", offset)))
				.withMessageStartingWith("'position'");
		}
	}

}
