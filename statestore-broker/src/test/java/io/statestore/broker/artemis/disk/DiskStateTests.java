package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Refusal of messages while the disk is nearly full. */
class DiskStateTests {

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicLong free = new AtomicLong(DiskState.MIN_FREE);

	private final DiskState state = new DiskState(Path.of("journal"), this.nanos::get, this.free::get);

	private boolean isWritableLater() {
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		return this.state.isWritable();
	}

	@Test
	void refusesUntilSpaceIsFree() {
		try (CapturedLog log = new CapturedLog(DiskState.class, Level.INFO)) {
			assertThat(this.state.isWritable()).isTrue();
			this.free.decrementAndGet();
			assertThat(isWritableLater()).isFalse();
			assertThat(isWritableLater()).isFalse();
			this.free.incrementAndGet();
			assertThat(isWritableLater()).isTrue();
			assertThat(log.messages()).hasSize(2);
		}
	}

	@Test
	void refusesAfterFailureOfJournal() {
		try (CapturedLog log = new CapturedLog(DiskState.class, Level.ERROR)) {
			this.state.onIOException(new IOException("broken"), "write", null);
			this.state.onIOException(new IOException("again"), "write", null);
			assertThat(isWritableLater()).isFalse();
			assertThat(log.messages()).singleElement().asString().contains("write", "journal");
		}
	}

}
