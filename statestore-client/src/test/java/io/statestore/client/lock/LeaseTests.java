package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.FencingToken;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.LockLoss.Reason;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One tenure of a lock, event by event. */
class LeaseTests {

	/** Less than a hundredth and a millisecond. */
	private static final Duration RELIABLE = Duration.ofMillis(2969);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private static final Duration RETRY = Duration.ofMillis(100);

	private static final Duration MILLI = Duration.ofMillis(1);

	private final ScriptedStore store = new ScriptedStore();

	private final List<Reason> losses = new ArrayList<>();

	private final Lease lease = lease(ScriptedStore.TERMS);

	private Lease lease(LockTerms terms) {
		Lease lease = new Lease(ScriptedStore.LOCK, this.store, this.store, terms, ScriptedStore.MINE,
				new FencingToken(ScriptedStore.version(10)), this.store.nanoTime());
		lease.onLost((loss) -> this.losses.add(loss.reason()));
		lease.start();
		return lease;
	}

	private static StateStoreOutcomeUnknownException unknown() {
		return new StateStoreOutcomeUnknownException("no reply");
	}

	private ScriptedStore.Request renewal() {
		this.store.pass(INTERVAL);
		return this.store.request("SET");
	}

	private void assertLost(Reason reason) {
		assertThat(this.losses).containsExactly(reason);
		assertThat(this.lease.isValid()).isFalse();
		assertThat(this.lease.remaining()).isZero();
	}

	private void assertOver() {
		assertThat(this.lease.ended()).isDone();
		assertThat(this.store.watches).allMatch((watch) -> watch.closed);
		assertThat(this.store.timers()).isZero();
		this.store.assertNoRequest();
	}

	@Test
	void isRenewedAtAThirdFromWhenTheRequestWasSent() {
		ScriptedStore.Request first = renewal();
		assertThat(first.lease()).isEqualTo(ScriptedStore.TERMS.lease());
		assertThat(first.timeout()).isEqualTo(Duration.ofMillis(500));
		this.store.pass(Duration.ofMillis(200));
		first.applied(11);
		assertThat(this.lease.remaining()).isEqualTo(RELIABLE.minusMillis(200));
		assertThat(this.lease.token().version()).isEqualTo(ScriptedStore.version(10));
		this.store.pass(Duration.ofMillis(799));
		this.store.assertNoRequest();
		this.store.pass(MILLI);
		this.store.request("SET");
	}

	@Test
	void isLostAtTheDeadlineAndGivenBack() {
		ScriptedStore.Request renewal = renewal();
		this.store.pass(RELIABLE.minus(INTERVAL).minus(MILLI));
		assertThat(this.lease.isValid()).isTrue();
		this.store.pass(MILLI);
		assertLost(Reason.EXPIRED);
		// It could come after what gives back.
		this.store.assertNoRequest();
		renewal.applied(11);
		assertThat(this.lease.ended()).isNotDone();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.lease.isValid()).isFalse();
		assertOver();
	}

	@Test
	void afterAPauseTheLossComesBeforeAnyRenewal() {
		this.store.pause(RELIABLE);
		assertThat(this.lease.isValid()).isFalse();
		this.store.pass(Duration.ZERO);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertOver();
	}

	@Test
	void aReplyAfterAPauseRenewsNothing() {
		ScriptedStore.Request renewal = renewal();
		this.store.pause(RELIABLE);
		renewal.applied(11);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

	@Test
	void anUnansweredOrRefusedRenewalIsTriedAgainToTheDeadline() {
		renewal().fails(unknown());
		this.store.pass(RETRY.minus(MILLI));
		this.store.assertNoRequest();
		this.store.pass(MILLI);
		this.store.request("SET").fails(new StateStoreNotSentException("no connection"));
		this.store.pass(RETRY);
		this.store.request("SET").fails(new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "no"));
		assertThat(this.lease.isValid()).isTrue();
		this.store.pass(RETRY);
		this.store.request("SET").applied(11);
		assertThat(this.lease.remaining()).isEqualTo(RELIABLE);
		assertThat(this.losses).isEmpty();
	}

	@Test
	void isLostWhenSomebodyElseHasIt() {
		renewal().notApplied(12);
		assertLost(Reason.TAKEN);
		assertOver();
	}

	@Test
	void isObservedFromItsFirstRenewal() {
		assertThat(this.store.watches).isEmpty();
		renewal().applied(11);
		this.store.watch().start();
		this.store.request("GET").value(ScriptedStore.MINE);
		this.store.watch().set(ScriptedStore.MINE, 11, false);
		this.store.watch().deleted(9, false);
		assertThat(this.lease.isValid()).isTrue();
		this.store.watch().deleted(12, false);
		assertLost(Reason.DELETED);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertOver();
	}

	@Test
	void isLostWhenItIsToldOfAnother() {
		renewal().applied(11);
		this.store.watch().set(ScriptedStore.THEIRS, 12, true);
		assertLost(Reason.TAKEN);
		assertOver();
	}

	@Test
	void aRenewalThatFollowsADeletionIsGivenBack() {
		renewal().applied(11);
		ScriptedStore.Request renewal = renewal();
		this.store.watch().deleted(12, false);
		assertLost(Reason.DELETED);
		this.store.assertNoRequest();
		// The store has created the key again.
		renewal.applied(13);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

	@Test
	void aDeletionWithoutVersionIsVerified() {
		renewal().applied(11);
		this.store.watch().deleted(11, true);
		assertThat(this.lease.isValid()).isTrue();
		this.store.request("GET").value(ScriptedStore.MINE);
		assertThat(this.lease.isValid()).isTrue();
		this.store.watch().deleted(11, true);
		this.store.request("GET").fails(unknown());
		assertThat(this.lease.isValid()).isTrue();
		this.store.watch().deleted(11, true);
		this.store.request("GET").value(Bytes.EMPTY);
		assertLost(Reason.DELETED);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertOver();
	}

	@Test
	void whatMustBeLostIsNotValidAtOnce() {
		this.lease.lose(Reason.FENCED);
		assertLost(Reason.FENCED);
		this.lease.lose(Reason.STOPPED);
		assertLost(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
		assertThat(this.lease.release(Duration.ZERO)).isCompletedWithValue(false);
	}

	@Test
	void whatMustBeLostIsNotValidEvenBeforeThatIsProcessed() {
		List<Boolean> valid = new ArrayList<>();
		this.lease.renew(null).thenAccept((renewed) -> {
			this.lease.lose(Reason.FENCED);
			assertThat(this.losses).isEmpty();
			valid.add(this.lease.isValid());
		});
		this.store.request("SET").applied(11);
		assertThat(valid).containsExactly(false);
		assertLost(Reason.FENCED);
	}

	@Test
	void aReleaseWaitsForTheRenewalInFlight() {
		renewal().applied(11);
		ScriptedStore.Request renewal = renewal();
		CompletableFuture<Boolean> released = this.lease.release(Duration.ZERO);
		assertThat(this.lease.isValid()).isFalse();
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
		assertOver();
	}

	@Test
	void aReleaseFindsOutThatTheLockWasLost() {
		CompletableFuture<Boolean> released = this.lease.release(Duration.ZERO);
		this.store.request("VDEL").done(Outcome.DIFFERENT);
		assertThat(released).isCompletedWithValue(false);
		assertLost(Reason.DELETED);
		this.store.request("VDEL").done(Outcome.DIFFERENT);
		assertOver();
	}

	@Test
	void anUnconfirmedReleaseIsRepeatedToTheDeadline() {
		CompletableFuture<Boolean> released = this.lease.release(Duration.ZERO);
		this.store.request("VDEL").fails(unknown());
		assertThat(released).isCompletedWithValue(true);
		this.store.pass(RETRY);
		this.store.request("VDEL").done(Outcome.ABSENT);
		assertThat(this.losses).isEmpty();
		assertOver();
	}

	@Test
	void aReleaseIsRepeatedNoLongerThanTheLease() {
		this.lease.release(Duration.ZERO);
		ScriptedStore.Request release = this.store.request("VDEL");
		this.store.pass(RELIABLE);
		release.fails(unknown());
		assertOver();
	}

	@Test
	void canBeKeptAfterItsRelease() {
		CompletableFuture<Boolean> released = this.lease.release(Duration.ofMinutes(1));
		ScriptedStore.Request release = this.store.request("SET");
		assertThat(release.lease()).isEqualTo(Duration.ofMinutes(1));
		release.applied(11);
		assertThat(released).isCompletedWithValue(true);
		assertOver();
	}

	@Test
	void aShorterLeaseCountsFromWhenItIsSent() {
		CompletableFuture<Boolean> renewed = this.lease.renew(Duration.ofSeconds(1));
		assertThat(this.lease.remaining()).isEqualTo(Duration.ofMillis(989));
		this.store.request("SET").fails(unknown());
		assertThat(renewed).isCompletedExceptionally();
		this.store.pass(Duration.ofMillis(989));
		assertLost(Reason.EXPIRED);
	}

	@Test
	void aLongerLeaseCountsFromItsConfirmation() {
		CompletableFuture<Boolean> renewed = this.lease.renew(Duration.ofSeconds(30));
		ScriptedStore.Request renewal = this.store.request("SET");
		assertThat(renewal.lease()).isEqualTo(Duration.ofSeconds(30));
		assertThat(this.lease.remaining()).isEqualTo(RELIABLE);
		renewal.applied(11);
		assertThat(renewed).isCompletedWithValue(true);
		assertThat(this.lease.remaining()).isEqualTo(Duration.ofMillis(29_699));
	}

	@Test
	void nobodyWaitsForARenewalOfWhatIsReleased() {
		ScriptedStore.Request renewal = renewal();
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.lease.release(Duration.ZERO);
		assertThat(renewed).isCompletedWithValue(false);
		renewal.applied(11);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(this.lease.renew(null)).isCompletedWithValue(false);
		assertOver();
	}

	@Test
	void aRenewalOnRequestFollowsTheOneInFlight() {
		ScriptedStore.Request first = renewal();
		CompletableFuture<Boolean> renewed = this.lease.renew(null);
		this.store.assertNoRequest();
		first.applied(11);
		assertThat(renewed).isNotDone();
		this.store.pass(Duration.ZERO);
		this.store.request("SET").applied(12);
		assertThat(renewed).isCompletedWithValue(true);
	}

	@Test
	void withoutRenewalItEndsAtItsDeadline() {
		ScriptedStore.Request renewal = renewal();
		this.lease.lose(Reason.FENCED);
		renewal.notApplied(1);
		this.store.request("VDEL").done(Outcome.DELETED);
		this.losses.clear();
		lease(new LockTerms(Duration.ofSeconds(3), false));
		this.store.pass(RELIABLE.minus(MILLI));
		this.store.assertNoRequest();
		assertThat(this.losses).isEmpty();
		this.store.pass(MILLI);
		assertThat(this.losses).containsExactly(Reason.EXPIRED);
	}

	@Test
	void whatCannotBeRenewedIsLost() {
		CompletableFuture<Boolean> renewed = new CompletableFuture<>();
		this.store.setFails = new OutOfMemoryError("test");
		this.lease.renew(null).thenAccept(renewed::complete);
		assertThat(renewed).isCompletedWithValue(false);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

	@Test
	void whatCannotBeLookedAfterIsLost() {
		ScriptedStore.Request renewal = renewal();
		this.store.scheduleFails = new OutOfMemoryError("unable to create native thread");
		renewal.applied(11);
		assertLost(Reason.EXPIRED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

	@Test
	void aReleaseThatCannotBeSentLeavesNobodyWaiting() {
		this.store.setFails = new OutOfMemoryError("test");
		assertThat(this.lease.release(Duration.ofMinutes(1))).isCompletedWithValue(false);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

	@Test
	void oneListenerKeepsTheLossFromNoOther() {
		this.lease.onLost((loss) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		List<Reason> later = new ArrayList<>();
		this.lease.onLost((loss) -> later.add(loss.reason()));
		this.lease.lose(Reason.FENCED);
		assertThat(later).containsExactly(Reason.FENCED);
		this.store.request("VDEL").done(Outcome.DELETED);
		assertOver();
	}

}
