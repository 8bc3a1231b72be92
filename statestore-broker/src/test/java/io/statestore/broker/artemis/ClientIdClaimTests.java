package io.statestore.broker.artemis;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientIdClaimTests {

	private final AtomicInteger released = new AtomicInteger();

	private final ClientIdClaim claim = new ClientIdClaim(this.released::incrementAndGet);

	@Test
	void endsWithConnectionBeforeExecution() {
		this.claim.close();
		assertThat(this.released).hasValue(1);
		assertThat(this.claim.tryExecute()).isFalse();
		this.claim.close();
		assertThat(this.released).hasValue(1);
	}

	@Test
	void lastsUntilEndOfExecution() {
		assertThat(this.claim.tryExecute()).isTrue();
		this.claim.close();
		this.claim.close();
		assertThat(this.released).hasValue(0);
		this.claim.executed();
		assertThat(this.released).hasValue(1);
		this.claim.close();
		assertThat(this.released).hasValue(1);
	}

	@Test
	void lastsUntilEndOfConnection() {
		assertThat(this.claim.tryExecute()).isTrue();
		this.claim.executed();
		assertThat(this.released).hasValue(0);
		assertThat(this.claim.tryExecute()).isFalse();
		this.claim.close();
		this.claim.close();
		assertThat(this.released).hasValue(1);
	}

}
