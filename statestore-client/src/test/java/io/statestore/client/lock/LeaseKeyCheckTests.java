package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Check of the key before a renewal, and losses found by it. */
class LeaseKeyCheckTests extends LeaseFixture {

	@Test
	void sendsNoRenewalBeforeKeyIsObserved() {
		this.store.pass(INTERVAL);
		this.store.assertNoRequest();
		watch(ACQUIRED);
		this.store.request("SET");
	}

	@Test
	void readsKeyIfObservationShowsNoHolder() {
		this.store.pass(INTERVAL);
		this.store.watch().start();
		this.store.request("GET").value(ScriptedStore.MINE, ACQUIRED);
		this.store.request("SET");
	}

	@Test
	void losesLockDeletedBeforeFirstRenewal() {
		this.store.pass(INTERVAL);
		this.store.watch().start();
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void losesLockTakenBeforeFirstRenewal() {
		this.store.pass(INTERVAL);
		this.store.watch().set(ScriptedStore.THEIRS, 12, true);
		assertLost(Reason.TAKEN);
		assertEnded();
	}

	@Test
	void losesLockWithUnexplainedVersion() {
		this.store.pass(INTERVAL);
		watch(11);
		this.store.request("GET").value(ScriptedStore.MINE, 11);
		assertLost(Reason.UNCERTAIN);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void sendsNoRenewalDuringInterruption() {
		confirm(renewal(), 11);
		this.store.watch().interrupt();
		this.store.pass(INTERVAL);
		this.store.assertNoRequest();
		this.store.watch().resume();
		this.store.request("SET");
		assertHeld();
	}

	@Test
	void findsDeletionImmediatelyWhenWatchResumes() {
		confirm(renewal(), 11);
		this.store.watch().interrupt();
		this.store.watch().deleted(11, true);
		this.store.watch().resume();
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void ignoresReadThatEndsDuringInterruption() {
		this.store.pass(INTERVAL);
		this.store.watch().start();
		ScriptedStore.Request read = this.store.request("GET");
		this.store.watch().interrupt();
		read.value(ScriptedStore.MINE, ACQUIRED);
		this.store.assertNoRequest();
		this.store.watch().resume();
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void cancelsRenewalInFlightWhenInterrupted() {
		confirm(renewal(), 11);
		this.store.pass(INTERVAL);
		this.store.watch().interrupt();
		this.store.assertNoRequest();
		this.store.watch().resume();
		this.store.pass(Duration.ZERO);
		this.store.request("SET");
		assertHeld();
	}

	@Test
	void losesLockIfUnconfirmedRenewalWasApplied() {
		confirm(renewal(), 11);
		this.store.pass(INTERVAL);
		this.store.watch().interrupt();
		this.store.watch().set(ScriptedStore.MINE, 13, true);
		this.store.watch().resume();
		this.store.request("GET").value(ScriptedStore.MINE, 13);
		assertLost(Reason.UNCERTAIN);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void ignoresReplyToCanceledRenewal() {
		confirm(renewal(), 11);
		ScriptedStore.Request renewal = renewal();
		this.store.watch().interrupt();
		renewal.applied(12);
		assertThat(this.lease.status().remaining()).isEqualTo(RELIABLE.minus(INTERVAL));
	}

	@Test
	void acceptsLateRenewalWhileObserved() {
		confirm(renewal(), 11);
		renewal().fails(unknown());
		this.store.watch().set(ScriptedStore.MINE, 12, false);
		this.store.watch().interrupt();
		this.store.watch().resume();
		this.store.pass(RETRY);
		this.store.request("SET");
		assertHeld();
	}

	@Test
	void lossNamesRefusalOfTheCheck() {
		StateStoreRefusedException refusal = new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "no");
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.store.watch().refuse();
		this.store.request("GET").fails(refusal);
		this.store.pass(RELIABLE);
		assertLost(Reason.EXPIRED);
		assertThat(this.losses.get(0).cause()).isSameAs(refusal);
		assertThat(renewed).isCompletedExceptionally();
	}

	@Test
	void retriesFailedReadWithinLease() {
		this.store.pass(INTERVAL);
		this.store.watch().start();
		this.store.request("GET").fails(unknown());
		this.store.pass(RETRY);
		this.store.request("GET").value(ScriptedStore.MINE, ACQUIRED);
		this.store.request("SET");
		assertHeld();
	}

	@Test
	void readsUnobservableKeyBeforeEachRenewal() {
		this.store.pass(INTERVAL);
		this.store.watch().refuse();
		this.store.request("GET").value(ScriptedStore.MINE, ACQUIRED);
		this.store.request("SET").applied(11);
		this.store.pass(INTERVAL);
		this.store.request("GET").value(ScriptedStore.MINE, 11);
		this.store.request("SET").applied(12);
		this.store.pass(INTERVAL);
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void losesLockOnNotifiedDeletion() {
		confirm(renewal(), 11);
		this.store.watch().deleted(9, false);
		assertHeld();
		this.store.watch().deleted(12, false);
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void losesLockOnNotifiedHolder() {
		confirm(renewal(), 11);
		this.store.watch().set(ScriptedStore.THEIRS, 12, true);
		assertLost(Reason.TAKEN);
		assertEnded();
	}

	@Test
	void readsKeyAfterDeletionWithoutVersion() {
		confirm(renewal(), 11);
		this.store.watch().deleted(11, true);
		this.store.request("GET").value(ScriptedStore.MINE, 11);
		assertHeld();
		this.store.watch().deleted(11, true);
		this.store.request("GET").fails(unknown());
		assertHeld();
		this.store.pass(RETRY);
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void readsKeyAfterRenewalInFlight() {
		confirm(renewal(), 11);
		ScriptedStore.Request renewal = renewal();
		this.store.watch().deleted(11, true);
		this.store.assertNoRequest();
		renewal.applied(12);
		this.store.request("GET").value(ScriptedStore.MINE, 12);
		assertHeld();
	}

	@Test
	void observesImmediatelyOnRequest() {
		this.lease.watch();
		this.store.watch().start();
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void checksKeyWithinRequestedLease() {
		this.lease.renew(Duration.ofMillis(600));
		watch(ACQUIRED);
		confirm(this.store.request("SET"), 11);
		this.store.watch().interrupt();
		this.store.watch().deleted(11, true);
		this.store.watch().resume();
		ScriptedStore.Request read = this.store.request("GET");
		assertThat(read.timeout()).isEqualTo(Duration.ofMillis(100));
		read.fails(unknown());
		this.store.pass(Duration.ofMillis(20));
		this.store.request("GET").absent();
		assertLost(Reason.DELETED);
	}

}
