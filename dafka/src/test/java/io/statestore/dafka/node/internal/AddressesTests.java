package io.statestore.dafka.node.internal;

import io.statestore.dafka.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests for {@link Addresses}. */
@Timeout(30)
class AddressesTests {

	private final Addresses addresses = new Addresses((host) -> "127.0.0.1");

	@AfterEach
	void close() {
		this.addresses.close();
	}

	@Test
	void isBusyUntilCandidateIsReturned() {
		for (int i = 0; i < 1_000; i++) {
			assertThat(this.addresses.resolve(Candidate.of(Bytes.of("node"), "tcp://node.example:1", 0))).isNull();
			Candidate resolved = null;
			while (resolved == null) {
				assertThat(this.addresses.isBusy()).as("busy with candidate %d", i).isTrue();
				resolved = this.addresses.resolved();
			}
			assertThat(resolved.address()).isEqualTo("tcp://127.0.0.1:1");
			assertThat(this.addresses.isBusy()).isFalse();
		}
	}

}
