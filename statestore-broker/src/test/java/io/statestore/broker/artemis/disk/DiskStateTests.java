package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Refusal of messages while the disk is nearly full. */
@Isolated("captures the log")
class DiskStateTests {

	private final AtomicLong free = new AtomicLong(DiskState.MIN_FREE);

	private final DiskState state = new DiskState(Path.of("journal"), Map.of(), this.free::get);

	private boolean isWritableLater() {
		this.state.check();
		return this.state.tryReserve(0);
	}

	@Test
	void refusesUntilSpaceIsFree() {
		try (CapturedLog log = new CapturedLog(DiskState.class, Level.INFO)) {
			assertThat(this.state.tryReserve(0)).isTrue();
			this.free.decrementAndGet();
			assertThat(isWritableLater()).isFalse();
			assertThat(isWritableLater()).isFalse();
			this.free.incrementAndGet();
			assertThat(isWritableLater()).isTrue();
			assertThat(log.messages()).hasSize(2);
		}
	}

	@Test
	void acceptsNoMoreThanFitsBetweenChecks() {
		this.free.addAndGet(100);
		this.state.check();
		assertThat(this.state.tryReserve(60)).isTrue();
		assertThat(this.state.tryReserve(60)).isFalse();
		this.state.check();
		assertThat(this.state.tryReserve(60)).as("not yet written").isFalse();
		this.state.release(60);
		assertThat(this.state.tryReserve(60)).as("not yet in the free space").isFalse();
		this.state.check();
		assertThat(this.state.tryReserve(60)).isTrue();
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
