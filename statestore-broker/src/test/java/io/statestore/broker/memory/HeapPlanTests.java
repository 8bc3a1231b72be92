package io.statestore.broker.memory;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class HeapPlanTests {

	private final HeapPlan plan = new HeapPlan(256L << 20);

	@Test
	void defaultsFitIntoTheHeap() {
		for (long heap : new long[] { 16L << 20, 256L << 20, 4L << 30, 1L << 40 }) {
			HeapPlan plan = new HeapPlan(heap);
			assertThatNoException()
				.isThrownBy(() -> plan.require(plan.maxKeys(), plan.maxBytes(), plan.clientMemory()));
		}
	}

	@Test
	void refusesMoreThanTheHeapAndSaysWhatToDo() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.plan.require(1_000, 250L << 20, 64L << 20))
			.withMessageContainingAll("'maxBytes' (262144000)", "'clientMemory' (67108864)", "256 MiB", "-Xmx");
	}

	@Test
	void countsTheOverheadOfKeys() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.plan.require(2_000_000, 64L << 20, 64L << 20));
	}

	@Test
	void refusesTheLargestNumbersWithoutOverflow() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.plan.require(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
	}

}
