package io.statestore.broker.artemis.session;

import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SessionOwnersTests {

	private final AtomicBoolean session = new AtomicBoolean();

	private final Thread client = new Thread(this::connectAndDisconnect);

	private final SessionOwners owners = new SessionOwners(this::hasSession);

	@Test
	void sweepKeepsOwnerOfSessionThatStartsMeanwhile() throws Exception {
		this.owners.recovered("c1", "ada");
		this.owners.sweep();
		this.client.join();
		assertThat(this.owners.of("c1")).isEqualTo("ada");
		assertThat(claim("bob", 2)).isEqualTo(ClaimResult.OTHER_OWNER);
	}

	@Test
	void refusesConnectionThatArrivedBeforeLatest() {
		this.session.set(true);
		assertThat(claim("ada", 2)).isEqualTo(ClaimResult.GRANTED);
		assertThat(claim("ada", 1)).isEqualTo(ClaimResult.SUPERSEDED);
		this.owners.release("c1");
		assertThat(claim("ada", 1)).isEqualTo(ClaimResult.SUPERSEDED);
		assertThat(claim("ada", 3)).isEqualTo(ClaimResult.GRANTED);
	}

	@Test
	void grantsUnusedIdToOtherPrincipalInAnyOrder() {
		assertThat(claim("ada", 2)).isEqualTo(ClaimResult.GRANTED);
		this.owners.release("c1");
		assertThat(claim("bob", 1)).isEqualTo(ClaimResult.GRANTED);
	}

	private ClaimResult claim(String principal, long arrival) {
		return this.owners.claim("c1", new ClaimRequest("c1", principal, false, arrival));
	}

	/** Returns whether there is a session. Meanwhile, a client connects if it can. */
	private boolean hasSession(String clientId) {
		boolean exists = this.session.get();
		if (this.client.getState() == Thread.State.NEW) {
			this.client.start();
			while (this.client.isAlive() && this.client.getState() != Thread.State.BLOCKED) {
				Thread.onSpinWait();
			}
		}
		return exists;
	}

	private void connectAndDisconnect() {
		claim("ada", 1);
		this.session.set(true);
		this.owners.release("c1");
	}

}
