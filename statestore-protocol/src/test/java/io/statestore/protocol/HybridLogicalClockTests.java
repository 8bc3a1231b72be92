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

/** The rules of protocol section 4. */
class HybridLogicalClockTests {

	private static final long NOW = 1_696_374_425_000L;

	private static final int LAST_COUNTER = Integer.MAX_VALUE;

	private final AtomicLong wall = new AtomicLong(NOW);

	private final HybridLogicalClock clock = new HybridLogicalClock("me", this.wall::get);

	@Test
	void theCounterCountsWithinAMillisecondAndReturnsToZeroAfterIt() {
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 0));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
		this.wall.addAndGet(1);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 1, 0));
	}

	@Test
	void theClockNeverGoesBackWithTheSystemClock() {
		this.clock.tick();
		this.wall.addAndGet(-3_600_000);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void theClockGoesOnAfterTheLastReadingOfAnEarlierLife() {
		HybridLogicalClock next = new HybridLogicalClock(mine(NOW + 5, 7), this.wall::get);
		assertThat(next.tick()).isEqualTo(mine(NOW + 5, 8));
	}

	@Test
	void aReceivedReadingAheadIsMovedPast() {
		this.clock.receive(other(NOW + 500, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 500, 9));
	}

	@Test
	void aReceivedReadingBehindCountsAsAnEvent() {
		this.clock.tick();
		this.clock.receive(other(NOW - 500, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 2));
	}

	@Test
	void aReceivedReadingOfTheSameMillisecondTakesTheHigherCounter() {
		this.clock.tick();
		this.clock.receive(other(NOW, 7));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 9));
	}

	@Test
	void receivingWithTheSystemClockAheadOfAllResetsTheCounter() {
		this.clock.receive(other(NOW, 7));
		this.wall.addAndGet(10);
		this.clock.receive(other(NOW + 9, 99));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 10, 1));
	}

	@Test
	void exactlySixtySecondsAheadIsAccepted() {
		Version edge = other(NOW + 60_000, 0);
		assertThat(this.clock.isTooFarAhead(edge)).isFalse();
		this.clock.receive(edge);
		assertThat(this.clock.tick()).isGreaterThan(edge);
	}

	@Test
	void moreThanSixtySecondsAheadIsRefusedBeforeAnyMerge() {
		Version before = this.clock.tick();
		Version tooFar = other(NOW + 60_001, 0);
		assertThat(this.clock.isTooFarAhead(tooFar)).isTrue();
		assertRefused(tooFar, ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, before.counter() + 1));
	}

	@Test
	void theLimitIsMeasuredFromTheSystemClockNotFromOurOwnReading() {
		this.clock.receive(other(NOW + 60_000, 0));
		assertRefused(other(NOW + 60_001, 0), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
	}

	@Test
	void theLimitIsMeasuredOnOneReadingOfTheSystemClock() {
		AtomicLong jumping = new AtomicLong(NOW);
		HybridLogicalClock jumpingClock = new HybridLogicalClock("me", () -> jumping.getAndAdd(-1_000));
		jumpingClock.receive(other(NOW - 10, 5));
		assertThat(jumpingClock.tick().wallMillis()).isEqualTo(NOW);
	}

	@Test
	void aReceivedCounterThatLeavesNoRoomIsAnErrorAndChangesNothing() {
		this.clock.tick();
		assertRefused(other(NOW, LAST_COUNTER), ErrorReason.MALFORMED_TIMESTAMP);
		assertRefused(other(NOW + 1, LAST_COUNTER), ErrorReason.MALFORMED_TIMESTAMP);
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void aReceivedCounterThatIsFullMattersOnlyWhereItsMillisecondIsOurs() {
		this.clock.receive(other(NOW - 1, LAST_COUNTER));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW, 1));
	}

	@Test
	void ourOwnCounterOverflowBeginsTheNextMillisecondEarly() {
		this.clock.receive(other(NOW + 10, LAST_COUNTER - 1));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 11, 0));
	}

	@Test
	void ourOwnCounterOverflowIsNoFaultOfTheNextSender() {
		this.clock.receive(other(NOW + 10, LAST_COUNTER - 1));
		this.clock.receive(other(NOW, 0));
		assertThat(this.clock.tick()).isEqualTo(mine(NOW + 11, 1));
	}

	@Test
	void severalThreadsNeverReadTheSameVersion() throws Exception {
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
