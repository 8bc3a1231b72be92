package io.statestore.broker.principal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.security.ClientPrincipal;
import io.statestore.protocol.InvalidOptionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PrincipalsTests {

	private static final ClientPrincipal ADA = ClientPrincipal.of("ada");

	private static final ClientPrincipal BOB = ClientPrincipal.of("bob");

	private static final PrincipalLimits LIMITS = new PrincipalLimits(null, 2, 2);

	private final Principals principals = new Principals(LIMITS);

	private final List<String> resumed = new ArrayList<>();

	@Test
	void refusesConnectionBeyondPrincipalLimit() {
		PrincipalShare first = admit(ADA, "a");
		admit(ADA, "b");
		assertThat(this.principals.admit(ADA, "c")).isNull();
		admit(BOB, "c");
		first.close();
		first.close();
		admit(ADA, "c");
		assertThat(this.principals.admit(ADA, "d")).isNull();
		assertThat(statistics().refusedConnections()).isEqualTo(2);
		assertThat(statistics().principals()).isEqualTo(2);
	}

	@Test
	void admitsTakeoverAtLimit() {
		PrincipalShare earlier = admit(ADA, "a");
		admit(ADA, "b");
		PrincipalShare later = admit(ADA, "a");
		earlier.close();
		assertThat(this.principals.admit(ADA, "c")).isNull();
		later.close();
		admit(ADA, "c");
	}

	@Test
	void anonymousClientsHaveNoLimits() {
		for (int i = 0; i < 10; i++) {
			PrincipalShare share = admit(ClientPrincipal.ANONYMOUS, "a" + i);
			for (int request = 0; request < 10; request++) {
				assertThat(begin(share, "a")).isTrue();
			}
			share.close();
		}
		assertThat(statistics().principals()).isZero();
		assertThat(this.principals.size()).isZero();
	}

	@Test
	void requestsFromEarlierTermDoNotCount() {
		Principals term = this.principals.newTerm();
		for (ClientPrincipal principal : List.of(ADA, ClientPrincipal.ANONYMOUS)) {
			PrincipalShare share = Objects.requireNonNull(term.admit(principal, "a"));
			while (share.tryBegin(true, () -> this.resumed.add("a"))) {
				// Takes all permits
			}
		}
		assertThat(statistics().principals()).isEqualTo(1);
		Principals next = this.principals.newTerm();
		for (ClientPrincipal principal : List.of(ADA, ClientPrincipal.ANONYMOUS)) {
			assertThat(Objects.requireNonNull(next.admit(principal, "a")).tryBegin(true, () -> {
			})).isTrue();
		}
		admit(BOB, "b");
		assertThat(statistics().principals()).isEqualTo(2);
		assertThat(statistics().delayedRequests()).isEqualTo(2);
	}

	@Test
	void sharesRequestLimitAmongConnections() {
		PrincipalShare a = admit(ADA, "a");
		PrincipalShare b = admit(ADA, "b");
		assertThat(begin(a, "a")).isTrue();
		assertThat(begin(b, "b")).isTrue();
		assertThat(begin(b, "b")).isFalse();
		assertThat(begin(a, "a")).isFalse();
		assertThat(begin(b, "b")).isFalse();
		assertThat(statistics().delayedRequests()).isEqualTo(2);
		assertThat(begin(admit(BOB, "c"), "c")).isTrue();
		a.end(false);
		assertThat(this.resumed).containsExactly("b");
		// This room belongs to the connection that waited first
		assertThat(begin(a, "a")).isFalse();
		assertThat(begin(b, "b")).isTrue();
		b.end(false);
		assertThat(this.resumed).containsExactly("b", "a");
		assertThat(begin(a, "a")).isTrue();
	}

	@Test
	void disconnectHandsOnUnusedPermit() {
		PrincipalShare a = admit(ADA, "a");
		PrincipalShare b = admit(ADA, "b");
		begin(a, "a");
		begin(a, "a");
		begin(b, "b");
		begin(a, "a");
		a.end(false);
		assertThat(this.resumed).containsExactly("b");
		b.close();
		assertThat(this.resumed).containsExactly("b", "a");
		assertThat(begin(a, "a")).isTrue();
	}

	@Test
	void closedConnectionDoesNotWait() {
		PrincipalShare a = admit(ADA, "a");
		PrincipalShare b = admit(ADA, "b");
		begin(a, "a");
		begin(a, "a");
		begin(b, "b");
		b.close();
		a.end(false);
		a.end(false);
		assertThat(this.resumed).isEmpty();
		assertThat(begin(a, "a")).isTrue();
		assertThat(begin(a, "a")).isTrue();
		assertThat(begin(a, "a")).isFalse();
	}

	@Test
	void countsRequestsUntilAnsweredEvenAfterDisconnect() {
		PrincipalShare a = admit(ADA, "a");
		begin(a, "a");
		begin(a, "a");
		a.close();
		PrincipalShare again = admit(ADA, "a");
		assertThat(begin(again, "again")).isFalse();
		a.end(false);
		assertThat(this.resumed).containsExactly("again");
	}

	@Test
	void removesIdlePrincipals() {
		for (int i = 0; i < 1_000; i++) {
			PrincipalShare share = admit(ClientPrincipal.of("p" + i), "a");
			begin(share, "a");
			share.end(false);
			share.close();
		}
		assertThat(this.principals.size()).isLessThan(10);
	}

	@Test
	@Timeout(60)
	void concurrentConnectionsAllFinish() throws InterruptedException {
		int connections = 8;
		int requests = 5_000;
		Principals shared = new Principals(new PrincipalLimits(null, connections, 3));
		AtomicInteger active = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch finished = new CountDownLatch(connections);
		ExecutorService answers = Executors.newFixedThreadPool(2);
		try {
			for (int i = 0; i < connections; i++) {
				PrincipalShare share = shared.admit(ADA, "c" + i);
				assertThat(share).isNotNull();
				new Connection(share, requests, answers, active, most, finished).start();
			}
			assertThat(finished.await(50, TimeUnit.SECONDS)).isTrue();
			assertThat(most.get()).isLessThanOrEqualTo(3);
			assertThat(active.get()).isZero();
		}
		finally {
			answers.shutdownNow();
		}
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			0, 1, 1, maxKeysPerUser
			1, 0, 1, maxConnectionsPerUser
			1, 1, 0, maxRequestsPerUser
			1, 3000000000, 1, maxConnectionsPerUser
			""")
	void namesInvalidLimit(long keys, long connections, long requests, String option) {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> new PrincipalLimits(keys, connections, requests))
			.withMessageContaining("'" + option + "'");
	}

	@Test
	void defaultKeyLimitIsThreeQuartersOfAllKeys() {
		assertThat(PrincipalLimits.DEFAULT.maxKeys(131_072)).isEqualTo(98_304);
		assertThat(PrincipalLimits.DEFAULT.maxKeys(1)).isEqualTo(1);
		assertThat(PrincipalLimits.DEFAULT.maxKeys(Long.MAX_VALUE)).isPositive();
		assertThat(PrincipalLimits.DEFAULT.withMaxKeys(7).maxKeys(5)).isEqualTo(7);
	}

	private PrincipalShare admit(ClientPrincipal principal, String clientId) {
		@Nullable PrincipalShare share = this.principals.admit(principal, clientId);
		assertThat(share).isNotNull();
		return share;
	}

	private boolean begin(PrincipalShare share, String name) {
		return share.tryBegin(false, () -> this.resumed.add(name));
	}

	private PrincipalStatistics statistics() {
		return this.principals.statistics(0, 0);
	}

	/** Sends requests one after another on its own thread, like an event loop. */
	private static final class Connection {

		private final ExecutorService loop = Executors.newSingleThreadExecutor();

		private final PrincipalShare share;

		private final ExecutorService answers;

		private final AtomicInteger active;

		private final AtomicInteger most;

		private final CountDownLatch finished;

		private int unsent;

		private int unanswered;

		Connection(PrincipalShare share, int requests, ExecutorService answers, AtomicInteger active,
				AtomicInteger most, CountDownLatch finished) {
			this.share = share;
			this.unsent = requests;
			this.unanswered = requests;
			this.answers = answers;
			this.active = active;
			this.most = most;
			this.finished = finished;
		}

		void start() {
			this.loop.execute(this::deliver);
		}

		private void deliver() {
			while (this.unsent > 0 && this.share.tryBegin(false, () -> this.loop.execute(this::deliver))) {
				this.unsent--;
				this.most.accumulateAndGet(this.active.incrementAndGet(), Math::max);
				this.answers.execute(() -> this.loop.execute(this::answered));
			}
		}

		private void answered() {
			this.active.decrementAndGet();
			this.share.end(false);
			this.unanswered--;
			if (this.unanswered == 0) {
				this.share.close();
				this.loop.shutdown();
				this.finished.countDown();
			}
			else {
				deliver();
			}
		}

	}

}
