package io.statestore.client.watch;

import java.time.Duration;

import ch.qos.logback.classic.Level;
import io.statestore.client.Key;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.ErrorReason;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class FailureLogTests {

	private static final Duration DELAY = Duration.ofSeconds(1);

	private final VirtualTime time = new VirtualTime();

	private final FailureLog failures = new FailureLog(this.time::schedule);

	private final CapturedLog log = new CapturedLog(FailureLog.class.getName(), Level.WARN);

	@AfterEach
	void closeLog() {
		this.log.close();
	}

	private void fail(int from, int to) {
		for (int i = from; i < to; i++) {
			this.failures.failed("GET", Key.of("key" + i), new StateStoreNotSentException("key" + i + " was not sent"),
					DELAY);
		}
	}

	@Test
	void logsFirstFailureAndCountsLaterFailures() {
		fail(0, 12_000);
		assertThat(this.log.messages()).hasSize(1)
			.first()
			.asString()
			.contains("key key0", "key0 was not sent", "1000 ms");
		this.time.pass(FailureLog.INTERVAL.toMillis());
		assertThat(this.log.messages()).hasSize(2)
			.last()
			.asString()
			.contains("GET failed 11999 more times", "key11999 was not sent");
	}

	@Test
	void logsAgainAfterMinuteWithoutFailure() {
		fail(0, 1);
		this.time.pass(FailureLog.INTERVAL.toMillis() + 1);
		assertThat(this.log.messages()).hasSize(1);
		fail(1, 2);
		assertThat(this.log.messages()).hasSize(2).last().asString().contains("key1 was not sent");
	}

	@Test
	void logsEachCause() {
		fail(0, 2);
		this.failures.failed("KEYNOTIFY", Key.of("key"), new StateStoreNotSentException("not sent"), DELAY);
		this.failures.failed("GET", Key.of("key"),
				new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "not authorized"), DELAY);
		this.failures.failed("GET", Key.of("key"), new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "full"),
				DELAY);
		assertThat(this.log.messages()).hasSize(4);
	}

}
