package io.statestore.broker.memory;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LimitsTests {

	@Test
	void nodeStoreHasSameDefaultsWithAnyHeap() {
		Limits limits = Limits.ofNode();
		assertThat(limits.maxKeys()).isEqualTo(131_072);
		assertThat(limits.maxSize()).isEqualTo(64 << 20);
		assertThat(limits.replyMemory()).isEqualTo(16 << 20);
		assertThat(limits.clientMemory()).isEqualTo(Limits.ofThisJvm().clientMemory());
	}

}
