package io.statestore.broker.artemis.disk;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Operations that fail because the disk is full. */
@Timeout(60)
@Isolated("captures the log")
class DiskRetryTests {

	private static final int SIZE = 1_000;

	@TempDir
	Path directory;

	private final AtomicBoolean full = new AtomicBoolean(true);

	private void write() throws IOException {
		if (this.full.get()) {
			throw new IOException("full");
		}
	}

	@Test
	void refusesMessagesWhileOperationWaits() {
		DiskState disk = new DiskState(this.directory, Map.of(), () -> Long.MAX_VALUE);
		try (CapturedLog log = new CapturedLog(DiskRetry.class, Level.INFO)) {
			CompletableFuture<Void> result = CompletableFuture.runAsync(() -> run(disk.retry()));
			await().until(() -> !disk.tryReserve(0));
			this.full.set(false);
			result.join();
			assertThat(disk.tryReserve(0)).isTrue();
			assertThat(log.messages()).hasSize(2);
		}
	}

	private void run(DiskRetry retry) {
		try {
			retry.run(this::write);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void stopEndsWait() {
		DiskRetry retry = new DiskRetry(this.directory);
		CompletableFuture<Void> result = CompletableFuture.runAsync(() -> run(retry));
		await().until(retry::isWaiting);
		retry.stop();
		assertThat(result).failsWithin(Duration.ofSeconds(10));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> retry.run(this::write));
	}

	@Test
	void repeatsNothingOnClosedFile() {
		AtomicInteger attempts = new AtomicInteger();
		assertThatExceptionOfType(ClosedChannelException.class)
			.isThrownBy(() -> new DiskRetry(this.directory).run(() -> {
				attempts.incrementAndGet();
				throw new ClosedChannelException();
			}));
		assertThat(attempts).hasValue(1);
	}

	@Test
	void restoresReserve() throws Exception {
		ReserveFiles reserve = new ReserveFiles(this.directory, SIZE, 2);
		reserve.fill();
		Path taken = this.directory.resolve("taken");
		assertThat(reserve.take(taken)).isTrue();
		assertThat(Files.size(taken)).isEqualTo(SIZE);
		assertThat(reserve.missing()).isEqualTo(SIZE);
		new DiskState(this.directory, Map.of("journal", reserve), () -> DiskState.MIN_FREE + SIZE - 1);
		assertThat(reserve.missing()).as("no space").isEqualTo(SIZE);
		new DiskState(this.directory, Map.of("journal", reserve), () -> DiskState.MIN_FREE + SIZE);
		assertThat(reserve.missing()).isZero();
		assertThat(reserve.take(taken)).isTrue();
		assertThat(reserve.take(taken)).isTrue();
		assertThat(reserve.take(taken)).isFalse();
	}

}
