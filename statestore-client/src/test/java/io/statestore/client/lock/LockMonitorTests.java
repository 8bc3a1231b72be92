package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Measurements of leases and of attempts to acquire locks. */
class LockMonitorTests extends LeaseFixture {

	private final List<String> events = new ArrayList<>();

	private final LockMonitor monitor = new LockMonitor() {

		@Override
		public void waited(Outcome outcome, Duration wait) {
			LockMonitorTests.this.events.add(outcome + " after " + wait.toMillis());
		}

		@Override
		public void renewed(Duration latency) {
			LockMonitorTests.this.events.add("renewed in " + latency.toMillis());
		}

		@Override
		public void renewalFailed() {
			LockMonitorTests.this.events.add("failed");
		}

		@Override
		public void lost(LockLoss.Reason reason) {
			LockMonitorTests.this.events.add("lost: " + reason.name());
		}

	};

	@BeforeEach
	void addMonitor() {
		this.monitors.add(this.monitor);
	}

	@Test
	void receivesLatencyOfRenewal() {
		ScriptedStore.Request renewal = renewal();
		this.store.pass(Duration.ofMillis(200));
		confirm(renewal, 11);
		assertThat(this.events).containsExactly("renewed in 200");
	}

	@Test
	void receivesFailureOfRenewalAndLoss() {
		renewal().fails(unknown());
		assertThat(this.events).containsExactly("failed");
		this.store.pass(RELIABLE);
		assertThat(this.events).startsWith("failed").endsWith("lost: EXPIRED");
	}

	@Test
	void failureOfMonitorDoesNotAffectLease() {
		this.monitors.add(new LockMonitor() {

			@Override
			public void renewed(Duration latency) {
				throw new IllegalStateException("a failure for this test");
			}

		});
		confirm(renewal(), 11);
		assertHeld();
		assertThat(this.lease.remaining()).isEqualTo(RELIABLE);
	}

	@Test
	void receivesOutcomeOfAcquisition() throws Exception {
		LockContext context = context(new Response(new Reply.Ok(), ScriptedStore.version(1)));
		KeyLock lock = new KeyLock(ScriptedStore.LOCK, context);
		lock.lock(ScriptedStore.TERMS);
		lock.lock(ScriptedStore.TERMS);
		assertThat(this.events).containsExactly("ACQUIRED after 0");
	}

	@Test
	void receivesUnsuccessfulAttempts() throws Exception {
		KeyLock taken = new KeyLock(ScriptedStore.LOCK,
				context(new Response(Reply.Count.NOT_APPLIED, ScriptedStore.version(1))));
		assertThat(taken.tryLock(ScriptedStore.TERMS)).isFalse();
		LockContext failing = new LockContext(
				new StateStoreTemplate((command, options) -> failedFuture(new StateStoreException("a failure"))),
				LockOptions.DEFAULT, this.store, Runnable::run, Runnable::run);
		failing.monitors().add(this.monitor);
		KeyLock unknown = new KeyLock(ScriptedStore.LOCK, failing);
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(() -> unknown.tryLock(ScriptedStore.TERMS));
		assertThat(this.events).containsExactly("NOT_ACQUIRED after 0", "FAILED after 0");
	}

	private LockContext context(Response response) {
		LockContext context = new LockContext(new StateStoreTemplate((command, options) -> completedFuture(response)),
				LockOptions.DEFAULT, this.store, Runnable::run, Runnable::run);
		context.monitors().add(this.monitor);
		return context;
	}

}
