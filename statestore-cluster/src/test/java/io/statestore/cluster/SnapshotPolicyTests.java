package io.statestore.cluster;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SnapshotPolicyTests {

	private final SnapshotPolicy policy = new SnapshotPolicy(1_000);

	@Test
	void isDueAboveMinimum() {
		this.policy.added(1_000);
		assertThat(this.policy.take()).isFalse();
		this.policy.added(1);
		assertThat(this.policy.take()).isTrue();
	}

	@Test
	void isDueOnceUntilEnd() {
		this.policy.added(1_001);
		assertThat(this.policy.take()).isTrue();
		assertThat(this.policy.take()).isFalse();
		this.policy.ended(true);
		assertThat(this.policy.take()).isTrue();
	}

	@Test
	void isDueAboveTwiceSnapshotSize() {
		this.policy.loaded(2_000);
		this.policy.added(4_000);
		assertThat(this.policy.take()).isFalse();
		this.policy.added(1);
		assertThat(this.policy.take()).isTrue();
	}

	@Test
	void countsEntriesThatArriveWhileSnapshotIsWritten() {
		this.policy.added(1_001);
		assertThat(this.policy.take()).isTrue();
		this.policy.begin();
		this.policy.added(600);
		this.policy.written(10);
		this.policy.ended(true);
		assertThat(this.policy.take()).isFalse();
		this.policy.added(401);
		assertThat(this.policy.take()).isTrue();
	}

	@Test
	void pausesAfterFailure() {
		this.policy.added(1_001);
		assertThat(this.policy.take()).isTrue();
		this.policy.ended(false);
		assertThat(this.policy.take()).isFalse();
	}

}
