package io.statestore.history;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.history.HistoryChange.Operation;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The time at which content must be written again, because retention will remove it. */
class LatestContentTests {

	private static final int LARGE = 1_100_000;

	private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

	private final JournalOptions defaults = new JournalOptions(JournalOptions.FOR_EVER, Long.MAX_VALUE, Duration.ZERO,
			() -> Instant.ofEpochMilli(this.millis.get()));

	private LatestContent content = new LatestContent(this.defaults.withRetentionBytes(2 * LARGE));

	private void write(Operation operation) {
		this.content.written(operation, 100);
	}

	@Test
	void isDueWithoutAnyContent() {
		assertThat(this.content.isDue()).isTrue();
		write(Operation.SET);
		assertThat(this.content.isDue()).isTrue();
		write(Operation.COMPLETE);
		assertThat(this.content.isDue()).as("without a beginning").isTrue();
		write(Operation.START);
		assertThat(this.content.isDue()).isFalse();
	}

	@Test
	void isDueAfterHalfOfSize() {
		write(Operation.START);
		this.content.written(Operation.SET, LARGE);
		assertThat(this.content.isDue()).isFalse();
		this.content.written(Operation.SET, 1);
		assertThat(this.content.isDue()).isTrue();
		write(Operation.CONTENT);
		this.content.written(Operation.PRESENT, LARGE);
		assertThat(this.content.isDue()).as("while it is being written").isFalse();
		write(Operation.COMPLETE);
		assertThat(this.content.isDue()).isFalse();
	}

	@Test
	void isDueAfterHalfOfTime() {
		this.content = new LatestContent(this.defaults.withRetentionTime(Duration.ofSeconds(10)));
		write(Operation.START);
		this.millis.addAndGet(5_000);
		assertThat(this.content.isDue()).isFalse();
		this.millis.addAndGet(1);
		assertThat(this.content.isDue()).isTrue();
		write(Operation.CONTENT);
		this.millis.addAndGet(1);
		assertThat(this.content.isDue()).isFalse();
		write(Operation.COMPLETE);
		assertThat(this.content.isDue()).isFalse();
		this.millis.addAndGet(5_000);
		assertThat(this.content.isDue()).as("its beginning is old").isTrue();
	}

	@Test
	void isNotDueWhileContentFollowsGap() {
		write(Operation.START);
		write(Operation.GAP);
		assertThat(this.content.isDue()).isFalse();
		write(Operation.PRESENT);
		write(Operation.COMPLETE);
		assertThat(this.content.isDue()).isFalse();
	}

	@Test
	void isNeverDueWithoutRetention() {
		this.content = new LatestContent(this.defaults);
		assertThat(this.content.isDue()).isFalse();
	}

	@Test
	void readsContentOfEarlierProcess() {
		long now = this.millis.get();
		this.content = new LatestContent(this.defaults.withRetentionTime(Duration.ofSeconds(10)));
		read(Operation.START, now - 5_000);
		this.content.read(new byte[] { 1, 77 });
		this.content.opened();
		assertThat(this.content.isDue()).isFalse();
		this.millis.addAndGet(1);
		assertThat(this.content.isDue()).isTrue();
	}

	@Test
	void isDueAfterInterruptedContent() {
		read(Operation.CONTENT, 1);
		this.content.opened();
		assertThat(this.content.isDue()).isTrue();
	}

	private void read(Operation operation, long millis) {
		this.content.read(ChangeCodec.encode(operation, Bytes.EMPTY, Bytes.EMPTY, TestChanges.version(millis),
				TestChanges.version(millis), null, null, false));
	}

}
