package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.lock.LockLostEvent.Reason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Deadline, loss, and release of a lease. */
class LeaseTests extends LeaseFixture {

	@Test
	void expiresAtDeadlineAndDeletesPossiblyRenewedKey() {
		ScriptedStore.Request renewal = renewal();
		this.store.pass(RELIABLE.minus(INTERVAL).minus(MILLI));
		assertThat(this.lease.status().isValid()).isTrue();
		this.store.pass(MILLI);
		assertLost(Reason.EXPIRED);
		// A renewal in flight could overtake the deletion.
		this.store.assertNoRequest();
		renewal.applied(11);
		assertThat(this.lease.ended()).isNotDone();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.lease.status().isValid()).isFalse();
		assertEnded();
	}

	@Test
	void expiryNamesFailedRenewal() {
		renewal().fails(unknown());
		this.store.pause(RELIABLE);
		this.store.pass(Duration.ZERO);
		assertLost(Reason.EXPIRED);
		assertThat(this.losses.get(0).description())
			.isEqualTo("its lease ended before a renewal was confirmed (no reply)");
	}

	@Test
	void expiresAfterPauseBeforeAnyRenewal() {
		this.store.pause(RELIABLE);
		assertThat(this.lease.status().isValid()).isFalse();
		this.store.pass(Duration.ZERO);
		assertLost(Reason.EXPIRED);
		assertEnded();
	}

	@Test
	void replyAfterPauseRenewsNothing() {
		ScriptedStore.Request renewal = renewal();
		this.store.pause(RELIABLE);
		renewal.applied(11);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void leavesKeyToExpireWithoutUnconfirmedRenewal() {
		Lease kept = lease(new LockTerms(Duration.ofSeconds(3), false));
		this.lease.release();
		this.store.request("VDEL").done(Outcome.DELETED);
		this.store.pass(RELIABLE.minus(MILLI));
		assertThat(this.losses).isEmpty();
		this.store.pass(MILLI);
		assertThat(this.losses).extracting(LockLostEvent::reason).containsExactly(Reason.EXPIRED);
		assertThat(kept.ended()).isDone();
		this.store.assertNoRequest();
	}

	@Test
	void externalLossEndsTenureOnce() {
		this.lease.lose(Reason.FENCED);
		assertLost(Reason.FENCED);
		this.lease.lose(Reason.STOPPED);
		assertLost(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
		assertThat(this.lease.release()).isCompletedWithValue(false);
	}

	@Test
	void stopLeavesKeyUntilRelease() {
		this.lease.lose(Reason.STOPPED);
		assertLost(Reason.STOPPED);
		this.store.assertNoRequest();
		assertThat(this.lease.ended()).isDone();
		assertThat(this.lease.release()).isCompletedWithValue(false);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void isLostWhenRenewalConditionFails() {
		this.lease.renewWhile(() -> false);
		this.store.pass(ScriptedStore.TERMS.renewalInterval());
		assertLost(Reason.ABANDONED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void isNotValidWhilePendingLossIsUnprocessed() {
		List<Boolean> valid = new ArrayList<>();
		this.lease.renew(null).thenAccept((renewed) -> {
			this.lease.lose(Reason.FENCED);
			assertThat(this.losses).isEmpty();
			valid.add(this.lease.status().isValid());
		});
		watch(ACQUIRED);
		this.store.request("SET").applied(11);
		assertThat(valid).containsExactly(false);
		assertLost(Reason.FENCED);
	}

	@Test
	void verifiesUnchangedKey() {
		CompletableFuture<Boolean> verified = this.lease.verify();
		this.store.request("GET").value(ScriptedStore.MINE, ACQUIRED);
		assertThat(verified).isCompletedWithValue(true);
		assertHeld();
	}

	@Test
	void verificationFindsDeletion() {
		CompletableFuture<Boolean> verified = this.lease.verify();
		this.store.request("GET").absent();
		assertThat(verified).isCompletedWithValue(false);
		assertLost(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertEnded();
	}

	@Test
	void losesLockThatCannotBeVerified() {
		CompletableFuture<Boolean> verified = this.lease.verify();
		this.store.request("GET").fails(unknown());
		assertThat(verified).isCompletedWithValue(false);
		assertLost(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

	@Test
	void releaseWaitsForRenewalInFlight() {
		confirm(renewal(), 11);
		ScriptedStore.Request renewal = renewal();
		CompletableFuture<Boolean> released = this.lease.release();
		assertThat(this.lease.status().isValid()).isFalse();
		assertThat(this.store.watch().closed).isTrue();
		this.store.assertNoRequest();
		renewal.fails(unknown());
		ScriptedStore.Request release = this.store.request("VDEL");
		assertThat(release.holder()).isEqualTo(ScriptedStore.MINE);
		assertThat(released).isNotDone();
		this.store.pass(INTERVAL);
		this.store.assertNoRequest();
		release.done(Outcome.DELETED);
		assertThat(released).isCompletedWithValue(true);
		assertThat(this.losses).isEmpty();
		assertEnded();
	}

	@Test
	void releaseFindsAnotherHolder() {
		CompletableFuture<Boolean> released = this.lease.release();
		this.store.request("VDEL").done(Outcome.DIFFERENT);
		assertThat(released).isCompletedWithValue(false);
		assertLost(Reason.TAKEN);
		assertEnded();
	}

	@Test
	void releaseFindsDeletion() {
		CompletableFuture<Boolean> released = this.lease.release();
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertThat(released).isCompletedWithValue(false);
		assertLost(Reason.DELETED);
		assertEnded();
	}

	@Test
	void releaseRefusedAfterDeadlineIsLoss() {
		CompletableFuture<Boolean> released = this.lease.release();
		ScriptedStore.Request release = this.store.request("VDEL");
		this.store.pause(RELIABLE);
		release.done(Outcome.ABSENT);
		assertThat(released).isCompletedWithValue(false);
		assertLost(Reason.EXPIRED);
		assertEnded();
	}

	@Test
	void retriesUnconfirmedRelease() {
		CompletableFuture<Boolean> released = this.lease.release();
		this.store.request("VDEL").fails(unknown());
		assertThat(released).isCompletedWithValue(true);
		this.store.pass(RETRY);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertThat(this.losses).isEmpty();
		assertEnded();
	}

	@Test
	void retriesReleaseUpToDeadline() {
		this.lease.release();
		ScriptedStore.Request release = this.store.request("VDEL");
		this.store.pass(RELIABLE);
		release.fails(unknown());
		assertEnded();
	}

	@Test
	void releaseLeavesKeyExpiringAfterKeepTime() {
		this.lease.keepUntil(this.store.nanoTime() + ScriptedStore.TERMS.lease().toNanos());
		assertThat(this.lease.release()).isCompletedWithValue(true);
		assertEnded();
	}

	@Test
	void deletesKeptKeyIfNotShortened() {
		Duration kept = Duration.ofMillis(600);
		this.lease.keepUntil(this.store.nanoTime() + kept.toNanos());
		CompletableFuture<Boolean> shortened = this.lease.renew(kept);
		this.store.pass(Duration.ofMillis(100));
		assertThat(shortened).isCompletedExceptionally();
		assertThat(this.lease.release()).isCompletedWithValue(true);
		this.store.pass(Duration.ofMillis(499));
		this.store.assertNoRequest();
		this.store.pass(MILLI);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.losses).isEmpty();
		assertEnded();
	}

	@Test
	void deletesKeptKeyIfPossiblyShortened() {
		Duration kept = Duration.ofMillis(600);
		this.lease.keepUntil(this.store.nanoTime() + kept.toNanos());
		this.lease.renew(kept);
		watch(ACQUIRED);
		this.store.request("SET").fails(unknown());
		assertThat(this.lease.release()).isCompletedWithValue(true);
		this.store.pass(kept);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertThat(this.losses).isEmpty();
		assertEnded();
	}

	@Test
	void notifiesAllListenersIfOneFails() {
		this.lease.onLost((loss) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		List<Reason> later = new ArrayList<>();
		this.lease.onLost((loss) -> later.add(loss.reason()));
		this.lease.lose(Reason.FENCED);
		assertThat(later).containsExactly(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertEnded();
	}

}
