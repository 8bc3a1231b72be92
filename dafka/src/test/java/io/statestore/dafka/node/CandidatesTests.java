package io.statestore.dafka.node;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.node.Peers.Candidate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.statestore.dafka.Await.until;
import static org.assertj.core.api.Assertions.assertThat;

/** Nodes that were heard, in the order in which to connect to them. */
@Timeout(60)
class CandidatesTests {

	private static final long TIMEOUT = 1_000;

	private final Candidates candidates = new Candidates(TIMEOUT);

	@Test
	void nodesHeardTwiceComeFirst() {
		for (int i = 0; i < 3; i++) {
			this.candidates.add(Bytes.of("node" + i), "tcp://10.0.0." + i + ":1", 0);
		}
		this.candidates.add(Bytes.of("node2"), "tcp://10.0.0.3:1", 1);
		assertThat(endpoint(this.candidates.next(1))).isEqualTo("tcp://10.0.0.3:1");
		assertThat(endpoint(this.candidates.next(1))).isEqualTo("tcp://10.0.0.0:1");
		assertThat(endpoint(this.candidates.next(1))).isEqualTo("tcp://10.0.0.1:1");
		assertThat(this.candidates.next(1)).isNull();
	}

	@Test
	void forgetsNodesNotHeardForTimeout() {
		this.candidates.add(Bytes.of("old"), "tcp://10.0.0.1:1", 0);
		this.candidates.add(Bytes.of("new"), "tcp://10.0.0.2:1", 1);
		assertThat(endpoint(this.candidates.next(TIMEOUT + 1))).isEqualTo("tcp://10.0.0.2:1");
		assertThat(this.candidates.isEmpty()).isTrue();
	}

	@Test
	void numberOfCandidatesIsBounded() {
		for (int i = 0; i < 20_000; i++) {
			this.candidates.add(Bytes.of("node" + i), "tcp://10.0.0.1:" + i, 0);
		}
		int count = 0;
		while (this.candidates.next(0) != null) {
			count++;
		}
		assertThat(count).isEqualTo(5_000);
	}

	@Test
	void addressIsResolvedAtOnce() {
		try (Addresses addresses = new Addresses()) {
			Candidate resolved = addresses.resolve(candidate("tcp://127.0.0.1:5"));
			assertThat(resolved).isNotNull();
			assertThat(resolved.address()).isEqualTo("tcp://127.0.0.1:5");
			assertThat(addresses.isBusy()).isFalse();
		}
	}

	@Test
	void nameIsResolvedOnAnotherThread() {
		try (Addresses addresses = new Addresses()) {
			assertThat(addresses.resolve(candidate("tcp://localhost:5"))).isNull();
			until("the address", () -> {
				Candidate resolved = addresses.resolved();
				return resolved != null && "tcp://127.0.0.1:5".equals(resolved.address());
			});
		}
	}

	@Test
	void invalidAddressHasNoResolution() {
		try (Addresses addresses = new Addresses()) {
			assertThat(addresses.resolve(candidate("tcp://[::1]:5"))).isNull();
			until("no address", () -> {
				Candidate resolved = addresses.resolved();
				return resolved != null && resolved.address() == null;
			});
		}
	}

	private static Candidate candidate(String endpoint) {
		return new Candidate(Bytes.of("node"), endpoint, null, 0);
	}

	private static @Nullable String endpoint(@Nullable Candidate candidate) {
		return (candidate != null) ? candidate.endpoint() : null;
	}

}
