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
		byte[] content = ChangeCodec.encode(operation, io.statestore.protocol.Bytes.of(key),
				io.statestore.protocol.Bytes.of(value), TestChanges.version(offset + 1), null);
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
			assertThatExceptionOfType(HistoryException.class).isThrownBy(() -> stream.next(NOT_AT_ALL))
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
