package io.statestore.client.lock;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker;
import io.statestore.client.CommandInvoker.Response;
import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.internal.LockMonitors;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Measurements of leases and of attempts to acquire locks. */
class LockMonitorTests extends LeaseFixture {

	private final List<String> events = new ArrayList<>();

	private final LockMonitors.Monitor monitor = new LockMonitors.Monitor() {

		@Override
		public void waited(LockMonitors.Outcome outcome, Duration wait) {
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
		public void lost(Enum<?> reason) {
			LockMonitorTests.this.events.add("lost: " + reason.name());
		}

	};

	@BeforeEach
	void addMonitor() {
		this.monitors.add(this.monitor);
	}

	@Test
	void receivesRenewalLatency() {
		ScriptedStore.Request renewal = renewal();
		this.store.pass(Duration.ofMillis(200));
		confirm(renewal, 11);
		assertThat(this.events).containsExactly("renewed in 200");
	}

	@Test
	void receivesRenewalFailureAndLoss() {
		renewal().fails(unknown());
		assertThat(this.events).containsExactly("failed");
		this.store.pass(RELIABLE);
		assertThat(this.events).startsWith("failed").endsWith("lost: EXPIRED");
	}

	@Test
	void monitorFailureDoesNotAffectLease() {
		this.monitors.add(new LockMonitors.Monitor() {

			@Override
			public void renewed(Duration latency) {
				throw new IllegalStateException("a failure for this test");
			}

		});
		confirm(renewal(), 11);
		assertHeld();
		assertThat(this.lease.status().remaining()).isEqualTo(RELIABLE);
	}

	@Test
	void lossIsReportedAndReleasedIfMonitorFails() {
		this.monitors.add(new LockMonitors.Monitor() {

			@Override
			public void lost(Enum<?> reason) {
				LockMonitorTests.<RuntimeException>sneak(new IOException("a failure for this test"));
			}

		});
		this.lease.lose(Reason.FENCED);
		assertLost(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.lease.release()).isCompletedWithValue(false);
		assertEnded();
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneak(Throwable failure) throws E {
		throw (E) failure;
	}

	@Test
	void receivesAcquisitionOutcome() throws Exception {
		FencedLock lock = lock(
				(command, options) -> completedFuture(new Response(new Reply.Ok(), ScriptedStore.version(1))));
		lock.lock();
		lock.lock();
		assertThat(this.events).containsExactly("ACQUIRED after 0");
	}

	@Test
	void receivesUnsuccessfulAttempts() throws Exception {
		FencedLock taken = lock(
				(command, options) -> completedFuture(new Response(Reply.Count.NOT_APPLIED, ScriptedStore.version(1))));
		assertThat(taken.tryLock()).isFalse();
		FencedLock unknown = lock((command, options) -> failedFuture(new StateStoreException("a failure")));
		assertThatExceptionOfType(StateStoreException.class).isThrownBy(unknown::tryLock);
		assertThat(this.events).containsExactly("NOT_ACQUIRED after 0", "FAILED after 0");
	}

	@Test
	void monitorReferencingRegistryDoesNotRetainIt() {
		WeakReference<StateStoreLockRegistry> registry = new WeakReference<>(registryOfItsMonitor());
		await().until(() -> {
			System.gc();
			return registry.refersTo(null);
		});
	}

	private static StateStoreLockRegistry registryOfItsMonitor() {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(
				new StateStoreTemplate((command, options) -> new CompletableFuture<>()));
		LockMonitors.of(registry).add(new LockMonitors.Monitor() {

			@Override
			public String toString() {
				return registry.toString();
			}

		});
		return registry;
	}

	private FencedLock lock(CommandInvoker invoker) {
		StateStoreLockRegistry registry = new StateStoreLockRegistry(new StateStoreTemplate(invoker),
				LockOptions.DEFAULT, this.store, Runnable::run);
		LockMonitors.of(registry).add(this.monitor);
		return registry.obtain("lock");
	}

}
