package io.statestore.broker.principal;

import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReceiveRateTests {

	private static final long SECOND = 1_000_000_000;

	@Test
	void acceptsBytesOfOneSecondAtOnce() {
		ReceiveRate rate = new ReceiveRate(1_000, 0);
		assertThat(rate.take(400, 0)).isZero();
		assertThat(rate.take(600, 0)).isZero();
		assertThat(rate.isFull(0)).isFalse();
		assertThat(rate.take(1, 0)).isEqualTo(SECOND / 1_000);
		assertThat(rate.take(0, SECOND / 1_000)).isZero();
		assertThat(rate.isFull(SECOND)).isFalse();
		assertThat(rate.isFull(SECOND + SECOND / 1_000)).isTrue();
	}

	@Test
	void savesNoMoreThanOneSecond() {
		ReceiveRate rate = new ReceiveRate(1_000, 0);
		assertThat(rate.take(1_001, 3_600 * SECOND)).isEqualTo(SECOND / 1_000);
	}

	@Test
	void hugeNumbersDoNotOverflow() {
		ReceiveRate slow = new ReceiveRate(1_024, 0);
		assertThat(slow.take(Integer.MAX_VALUE, 0)).isBetween(2_000_000 * SECOND, 2_100_000 * SECOND);
		ReceiveRate fast = new ReceiveRate(Long.MAX_VALUE, 0);
		assertThat(fast.take(Integer.MAX_VALUE, 0)).isZero();
	}

	@Property(tries = 200)
	void sendersThatWaitNeverExceedTheRate(@ForAll long seed,
			@ForAll @LongRange(min = 1_024, max = 1L << 40) long bytesPerSecond) {
		Random random = new Random(seed);
		ReceiveRate rate = new ReceiveRate(bytesPerSecond, 0);
		long[] resumed = new long[1 + random.nextInt(5)];
		long received = 0;
		for (int i = 0; i < 300; i++) {
			int sender = random.nextInt(resumed.length);
			long now = 0;
			for (long time : resumed) {
				now = Math.max(now, time - random.nextInt(1_000));
			}
			now = Math.max(now, resumed[sender]);
			int bytes = random.nextInt(65_536);
			// The piece of each sender is accepted before it has to wait
			double allowed = bytesPerSecond * (1 + (double) now / SECOND) + 65_536.0 * resumed.length;
			received += bytes;
			assertThat((double) received).isLessThanOrEqualTo(allowed * 1.000_001);
			resumed[sender] = now + rate.take(bytes, now);
		}
	}

}
