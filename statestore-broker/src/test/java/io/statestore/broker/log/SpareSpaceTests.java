package io.statestore.broker.log;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SpareSpaceTests {

	@Test
	void fullDiskKeepsReserveForEssentialEntries() {
		SpareSpace spare = new SpareSpace(400);
		assertThat(spare.isFull()).isFalse();
		spare.update(199);
		assertThat(spare.isFull()).isTrue();
		assertThat(spare.accepts(false)).isFalse();
		assertThat(spare.accepts(true)).isTrue();
		spare.update(99);
		assertThat(spare.accepts(true)).isFalse();
		spare.update(200);
		assertThat(spare.isFull()).isFalse();
		assertThat(spare.accepts(false)).isTrue();
	}

	@Test
	void diskIsNeverFullWithoutSpareSpace() {
		SpareSpace spare = new SpareSpace(0);
		spare.update(0);
		assertThat(spare.isFull()).isFalse();
		assertThat(spare.accepts(false)).isTrue();
	}

}
