package io.statestore.broker.server;

import io.statestore.broker.engine.Requester;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SharedRequestersTests {

	private final SharedRequesters requesters = new SharedRequesters();

	@Test
	void equalRequestersShareOneObject() {
		Requester first = this.requesters.share(new Requester("ada", "client"));
		Requester other = this.requesters.share(new Requester("ada", "other"));
		assertThat(this.requesters.share(new Requester("ada", "client"))).isSameAs(first);
		assertThat(this.requesters.share(new Requester("ada", "other"))).isSameAs(other).isNotSameAs(first);
	}

}
