package io.statestore.protocol;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Rules of hybrid logical clocks (protocol section 4). */
class HybridLogicalClockTests {

	private static final long NOW = 1_696_374_425_000L;

	private static final int LAST_COUNTER = Integer.MAX_VALUE;

	private final AtomicLong wall = new AtomicLong(NOW);

	private final HybridLogicalClock clock = new HybridLogicalClock("me", this.wall::get);

	@Test
	void counterReturnsToZeroInNextMillisecond() {
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 0));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
		this.wall.addAndGet(1);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 1, 0));
	}

	@Test
	void doesNotGoBackWithSystemClock() {
		this.clock.tick();
		this.wall.addAndGet(-3_600_000);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void continuesAfterEarlierReading() {
		HybridLogicalClock next = new HybridLogicalClock(mine(NOW + 5, 7), this.wall::get);
		assertThat(next.tick()).isEqualTo(mine(NOW + 5, 8));
	}

	@Test
	void movesPastReceivedLaterReading() {
		this.clock.receive(other(NOW + 500, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 500, 8));
	}

	@Test
	void ignoresReceivedEarlierReading() {
		this.clock.tick();
		this.clock.receive(other(NOW - 500, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void continuesAfterHigherCounterInSameMillisecond() {
		this.clock.tick();
		this.clock.receive(other(NOW, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 8));
	}

	@Test
	void restartsCounterWhenSystemClockIsAhead() {
		this.clock.receive(other(NOW, 7));
		this.wall.addAndGet(10);
		this.clock.receive(other(NOW + 9, 99));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 10, 0));
	}

	@Test
	void answersSameMillisecondWithNextCounter() {
		Version request = other(NOW, 0);
		this.clock.receive(request);
		assertThat(this.clock.tickAfter(request)).isEqualTo(mine(NOW, 1));
	}

	@Test
	void answersLaterMillisecondWithNextCounter() {
		this.clock.tick();
		Version request = other(NOW + 3, 0);
		this.wall.addAndGet(5);
		this.clock.receive(request);
		assertThat(this.clock.tickAfter(request)).isEqualTo(mine(NOW + 5, 1));
	}

	@Test
	void doesNotCarryLargeCountersIntoNextMillisecond() {
		Version request = other(NOW - 1, 1_000);
		this.clock.receive(request);
		assertThat(this.clock.tickAfter(request)).isEqualTo(mine(NOW, 0));
	}

	@Test
	void acceptsTimesUpToOwnReadingAfterClockIsSetBack() {
		Version before = this.clock.tick();
		this.wall.addAndGet(-3_600_000);
		assertThat(this.clock.isTooFarAhead(other(NOW, 500))).isFalse();
		this.clock.receive(other(NOW, 500));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 501)).isGreaterThan(before);
		assertRefused(other(NOW + 1, 0), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
	}

	@Test
	void readingsAheadDoNotAccumulate() {
		for (int i = 0; i < 10; i++) {
			this.clock.receive(other(NOW + 60_000, i));
			assertRefused(other(NOW + 60_001 + i, 0), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
	}

	@Test
	void staysWithSystemClockIfClientMergesReplies() {
		HybridLogicalClock client = new HybridLogicalClock("client", () -> this.wall.get() - 30_000);
		for (int i = 0; i < 100_000; i++) {
			Version request = client.tick();
			this.clock.receive(request);
			client.receive(this.clock.tickAfter(request));
			if (i % 7 == 0) {
				this.wall.incrementAndGet();
			}
		}
		Version last = this.clock.tick();
		assertThat(last.wallMillis()).isEqualTo(this.wall.get());
		assertThat(last.counter()).isLessThan(1_100);
	}

	@Test
	void acceptsReadingSixtySecondsAhead() {
		Version edge = other(NOW + 60_000, 0);
		assertThat(this.clock.isTooFarAhead(edge)).isFalse();
		this.clock.receive(edge);
		assertThat(this.clock.tick()).isGreaterThan(edge);
	}

	@Test
	void refusesReadingMoreThanSixtySecondsAhead() {
		Version before = this.clock.tick();
		Version tooFar = other(NOW + 60_001, 0);
		assertThat(this.clock.isTooFarAhead(tooFar)).isTrue();
		assertRefused(tooFar, ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, before.counter() + 1));
	}

	@Test
	void measuresDriftFromSystemClock() {
		this.clock.receive(other(NOW + 60_000, 0));
		assertRefused(other(NOW + 60_001, 0), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
	}

	@Test
	void readsSystemClockOncePerReceivedReading() {
		AtomicLong readings = new AtomicLong();
		HybridLogicalClock counted = new HybridLogicalClock("me", () -> {
			readings.incrementAndGet();
			return NOW;
		});
		counted.receive(other(NOW + 60_000, 5));
		assertThat(readings).hasValue(1);
	}

	@Test
	void refusesExhaustedCounter() {
		this.clock.tick();
		assertRefused(other(NOW, LAST_COUNTER), ErrorReason.MALFORMED_TIMESTAMP);
		assertRefused(other(NOW + 1, LAST_COUNTER), ErrorReason.MALFORMED_TIMESTAMP);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void ignoresExhaustedCounterFromEarlierMillisecond() {
		this.clock.receive(other(NOW - 1, LAST_COUNTER));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 0));
	}

	@Test
	void startsNextMillisecondEarlyWhenCounterIsExhausted() {
		this.clock.receive(other(NOW + 10, LAST_COUNTER - 1));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 10, LAST_COUNTER));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 11, 0));
	}

	@Test
	void acceptsNextSenderAfterCounterIsExhausted() {
		this.clock.receive(other(NOW + 10, LAST_COUNTER - 1));
		this.clock.tick();
		this.clock.receive(other(NOW, 0));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 11, 0));
	}

	@Test
	void threadsNeverGetSameReading() throws Exception {
		Set<Version> readings = ConcurrentHashMap.newKeySet();
		Callable<Void> reader = () -> {
			for (int i = 0; i < 10_000; i++) {
				readings.add(this.clock.tick());
			}
			return null;
		};
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			for (Future<Void> done : threads.invokeAll(Stream.generate(() -> reader).limit(4).toList())) {
				done.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(readings).hasSize(40_000);
	}

	private void assertRefused(Version received, ErrorReason reason) {
		assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> this.clock.receive(received))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	private static Version mine(long wallMillis, int counter) {
		return new Version(wallMillis, counter, "me");
	}

	private static Version other(long wallMillis, int counter) {
		return new Version(wallMillis, counter, "other");
	}

}
