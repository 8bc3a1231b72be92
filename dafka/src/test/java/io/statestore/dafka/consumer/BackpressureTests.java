package io.statestore.dafka.consumer;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** When a consumer without room leaves messages unread. */
class BackpressureTests {

	private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long LIMIT = 2_500 * MILLI;

	private final Backpressure backpressure = new Backpressure(LIMIT, 0);

	@Test
	void slowListenerDoesNotStopReadingForLong() {
		long readAt = 0;
		long offSince = 0;
		long longest = 0;
		for (long now = 0; now < 60_000 * MILLI; now += MILLI) {
			// The listener frees a slot every 20 ms, which is filled immediately.
			if (now % (20 * MILLI) == 0) {
				this.backpressure.end(now);
			}
			this.backpressure.check(false, now);
			this.backpressure.full(false, now);
			if (this.backpressure.isOn()) {
				offSince = now + MILLI;
			}
			else if (now - offSince >= 90 * MILLI) {
				readAt = now;
			}
			longest = Math.max(longest, now - readAt);
		}
		assertThat(longest).isBetween(LIMIT / 2, LIMIT + 200 * MILLI);
	}

	@Test
	void doesNotWaitForHangingListener() {
		this.backpressure.full(false, 0);
		assertThat(this.backpressure.isOn()).isTrue();
		this.backpressure.check(false, LIMIT);
		for (long now = LIMIT; now < 10 * LIMIT; now += MILLI) {
			this.backpressure.check(false, now);
			this.backpressure.full(false, now);
			assertThat(this.backpressure.isOn()).isFalse();
		}
		this.backpressure.end(10 * LIMIT);
		this.backpressure.full(false, 10 * LIMIT);
		assertThat(this.backpressure.isOn()).isTrue();
	}

	@Test
	void endsOnceStoreIsPresent() {
		this.backpressure.full(false, 0);
		this.backpressure.check(true, 1);
		assertThat(this.backpressure.isOn()).isFalse();
		this.backpressure.full(true, 2);
		assertThat(this.backpressure.isOn()).isFalse();
	}

}
