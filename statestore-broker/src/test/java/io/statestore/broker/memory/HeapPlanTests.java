package io.statestore.broker.memory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class HeapPlanTests {

	private final HeapPlan plan = new HeapPlan(256L << 20);

	private final Limits defaults = this.plan.limits();

	@ParameterizedTest
	@ValueSource(longs = { 16L << 20, 256L << 20, 4L << 30, 1L << 40 })
	void defaultsFitIntoHeap(long heap) {
		HeapPlan plan = new HeapPlan(heap);
		assertThatNoException().isThrownBy(() -> plan.require(plan.limits(), true));
	}

	@Test
	void defaultsAreFractionsOfHeap() {
		assertThat(this.defaults).isEqualTo(new Limits(131_072, 64 << 20, 16 << 20, 64 << 20, null));
		assertThat(this.defaults.newBudget().maxBytesPerClient()).isEqualTo(16 << 20);
	}

	@Test
	void replicaGetsMemoryLeftByClientsAndLog() {
		assertThat(this.plan.replicaMemory(this.plan.limits())).isEqualTo(160 << 20);
		assertThat(this.plan.replicaMemory(this.plan.limits().withClientMemory(1L << 30))).isZero();
	}

	@Test
	void errorContainsMaxKeys() {
		refuses(this.defaults.withMaxKeys(2_000_000), "'maxKeys' must be at most 489335,");
	}

	@Test
	void errorContainsMaxBytes() {
		refuses(this.defaults.withMaxSize(1L << 30), "'maxSize' must be at most 153092096,");
	}

	@Test
	void errorContainsClientMemory() {
		refuses(this.defaults.withClientMemory(1L << 30), "'clientMemory' must be at most 153092096,");
	}

	@Test
	void errorContainsReplyMemory() {
		refuses(this.defaults.withReplyMemory(1L << 30), "'replyMemory' must be at most 102760448,");
	}

	@Test
	void countsLogMemory() {
		Limits limits = this.defaults.withClientMemory(130 << 20);
		assertThatNoException().isThrownBy(() -> this.plan.require(limits, false));
		assertThatIllegalArgumentException().isThrownBy(() -> this.plan.require(limits, true))
			.withMessageStartingWith("'clientMemory' must be at most 119537664,");
	}

	@Test
	void acceptsLargestValueInError() {
		long replyMemory = largest("replyMemory", this.defaults.withReplyMemory(1L << 30));
		long maxKeys = largest("maxKeys", this.defaults.withMaxKeys(1 << 24));
		assertThatNoException().isThrownBy(() -> this.plan.require(this.defaults.withReplyMemory(replyMemory), false));
		assertThatNoException().isThrownBy(() -> this.plan.require(this.defaults.withMaxKeys(maxKeys), false));
	}

	/** Some garbage collectors use 96 % of the maximum heap. */
	@ParameterizedTest
	@ValueSource(longs = { 500_000, 2_000_000, 100_000_000 })
	void acceptsMaxKeysWithHeapInError(long maxKeys) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.plan.require(this.defaults.withMaxKeys(maxKeys), true))
			.satisfies((error) -> {
				long mebibytes = Long.parseLong(String.valueOf(error.getMessage()).replaceAll(".*-Xmx(\\d+)m.*", "$1"));
				HeapPlan suggested = new HeapPlan(mebibytes * 96 / 100 << 20);
				suggested.require(suggested.limits().withMaxKeys(maxKeys), true);
			});
	}

	@Test
	void errorContainsLimitThatExceedsDefaultMost() {
		refuses(this.defaults.withMaxSize(100 << 20).withClientMemory(200 << 20), "'clientMemory' must");
		refuses(this.defaults.withMaxSize(200 << 20).withClientMemory(100 << 20), "'maxSize' must");
	}

	@Test
	void refusesLargestNumbersWithoutOverflow() {
		refuses(new Limits(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, null),
				"but is 9223372036854775807");
	}

	@ParameterizedTest
	@CsvSource({ "maxKeys, 1", "maxSize, 1", "replyMemory, 1048576", "clientMemory, 1048576",
			"memoryPerClient, 65536" })
	void refusesValueBelowMinimum(String option, long min) {
		for (long value : new long[] { min - 1, 0, -1, Long.MIN_VALUE }) {
			assertThatIllegalArgumentException().isThrownBy(() -> with(option, value))
				.withMessage("'" + option + "' must be at least " + min + ", but is " + value);
		}
		assertThatNoException().isThrownBy(() -> with(option, min));
	}

	@Test
	void refusesMoreMemoryPerClientThanForAll() {
		Limits limits = this.defaults.withMemoryPerClient((64 << 20) + 1);
		assertThatIllegalArgumentException().isThrownBy(limits::newBudget)
			.withMessage("'memoryPerClient' must be 65536 to 67108864, the memory of all clients, "
					+ "but is 67108865. Lower it, or raise 'clientMemory'");
	}

	private Limits with(String option, long value) {
		return switch (option) {
			case "maxKeys" -> this.defaults.withMaxKeys(value);
			case "maxSize" -> this.defaults.withMaxSize(value);
			case "replyMemory" -> this.defaults.withReplyMemory(value);
			case "clientMemory" -> this.defaults.withClientMemory(value);
			default -> this.defaults.withMemoryPerClient(value);
		};
	}

	private void refuses(Limits limits, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.plan.require(limits, false))
			.withMessageContainingAll(message, "the maximum heap of this JVM, 256 MiB",
					"Lower it, or raise the heap with -Xmx");
	}

	private long largest(String option, Limits limits) {
		try {
			this.plan.require(limits, false);
			throw new AssertionError("accepted " + limits);
		}
		catch (IllegalArgumentException ex) {
			return Long.parseLong(
					String.valueOf(ex.getMessage()).replaceAll("'" + option + "' must be at most (\\d+),.*", "$1"));
		}
	}

}
