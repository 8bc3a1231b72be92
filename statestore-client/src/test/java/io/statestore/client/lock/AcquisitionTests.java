package io.statestore.client.lock;

import io.statestore.client.DeleteResult;
import io.statestore.client.Entry;
import io.statestore.client.SetResult;
import io.statestore.protocol.Bytes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreNotSentException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.ScriptedStore.ScriptedWatch;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One attempt to get a lock, event by event. */
class AcquisitionTests {

	private static final Duration WAIT = Duration.ofSeconds(20);

	private final ScriptedStore store = new ScriptedStore();

	private Acquisition acquisition(long waitNanos) {
		return acquisition(waitNanos, new NoPlace());
	}

	private Acquisition acquisition(long waitNanos, LockStore successor) {
		return new Acquisition(lock(this.store), () -> lock(successor), WaitLimit.of(this.store, waitNanos));
	}

	private RequestedLock lock(LockStore store) {
		return new RequestedLock(ScriptedStore.LOCK, store, this.store, ScriptedStore.TERMS, ScriptedStore.MINE);
	}

	private Acquisition waiting() {
		return acquisition(WAIT.toNanos());
	}

	private Acquisition waitingInLine(ScriptedStore place) {
		return acquisition(WAIT.toNanos(), place);
	}

	private void assertLease(CompletableFuture<@Nullable Lease> result, int token) {
		Lease lease = result.getNow(null);
		assertThat(lease).isNotNull();
		assertThat(lease.token().version()).isEqualTo(ScriptedStore.version(token));
		assertThat(lease.isValid()).isTrue();
	}

	private static StateStoreException unknown() {
		return new StateStoreOutcomeUnknownException("no reply");
	}

	@Test
	void oneRequestIfThereIsNoTimeToWait() {
		Acquisition acquisition = acquisition(0);
		CompletableFuture<@Nullable Lease> result = acquisition.start();
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedWithValue(null);
		assertThat(this.store.watches).isEmpty();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void asksAgainWhenItIsObservedAndWhenItIsFreed() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
		this.store.watch().start();
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
		this.store.watch().deleted(2, false);
		this.store.request("SET").applied(3);
		assertLease(result, 3);
		assertThat(this.store.watch().closed).isTrue();
		this.store.assertNoRequest();
	}

	@Test
	void asksOnlyWhenItIsFreedIfItIsObservedToBeTaken() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.THEIRS, 1, true);
		this.store.watch().start();
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.watch().deleted(2, false);
		this.store.request("SET").applied(3);
		assertLease(result, 3);
	}

	@Test
	void asksAgainIfWhoIsObservedToHaveItIsItself() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.MINE, 2, true);
		this.store.watch().start();
		this.store.request("SET").applied(2);
		assertLease(result, 2);
	}

	@Test
	void asksAgainIfItWasFreedBeforeTheObservationBegan() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().set(ScriptedStore.THEIRS, 1, true);
		this.store.watch().deleted(2, false);
		this.store.request("SET").notApplied(3);
		this.store.watch().start();
		this.store.request("SET").notApplied(3);
		this.store.assertNoRequest();
	}

	@Test
	void asksAgainIfItWasFreedDuringARequest() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().start();
		ScriptedStore.Request second = this.store.request("SET");
		this.store.watch().deleted(3, false);
		this.store.assertNoRequest();
		second.notApplied(2);
		ScriptedStore.Request third = this.store.request("SET");
		this.store.watch().deleted(4, false);
		// Its answer is later than that.
		third.notApplied(5);
		this.store.assertNoRequest();
	}

	@Test
	void asksAgainIfTheObservationBeganDuringARequest() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofMillis(300));
		// Sent before the observation, so that nobody told of the end of what it met.
		ScriptedStore.Request poll = this.store.request("SET");
		this.store.watch().start();
		poll.notApplied(1);
		this.store.request("SET").notApplied(1);
		this.store.assertNoRequest();
	}

	@Test
	void asksOnceInALeaseThoughItIsToldNothing() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.watch().set(ScriptedStore.THEIRS, 2, false);
		this.store.pass(Duration.ofSeconds(2));
		this.store.assertNoRequest();
		this.store.pass(Duration.ofSeconds(1));
		this.store.request("SET").applied(3);
	}

	@Test
	void asksOftenWhileItIsNotObserved() {
		waiting().start();
		this.store.request("SET").notApplied(1);
		this.store.pass(Duration.ofMillis(300));
		this.store.request("SET").notApplied(1);
	}

	@Test
	void endsInTimeAndGivesBackWhatMayHaveBeenGranted() {
		Acquisition acquisition = waiting();
		CompletableFuture<@Nullable Lease> result = acquisition.start();
		this.store.request("SET").notApplied(1);
		this.store.watch().start();
		this.store.request("SET").notApplied(1);
		this.store.watch().deleted(2, false);
		ScriptedStore.Request last = this.store.request("SET");
		this.store.pass(WAIT);
		last.fails(unknown());
		assertThat(result).isCompletedWithValue(null);
		assertThat(this.store.watch().closed).isTrue();
		assertThat(acquisition.ended()).isNotDone();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void givesBackWhatIsGrantedAfterItWasGivenUp() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		ScriptedStore.Request request = this.store.request("SET");
		acquisition.cancel();
		assertThat(acquisition.result()).isCompletedWithValue(null);
		this.store.assertNoRequest();
		assertThat(acquisition.ended()).isNotDone();
		request.applied(1);
		ScriptedStore.Request deletion = this.store.request("VDEL");
		assertThat(deletion.holder()).isEqualTo(ScriptedStore.MINE);
		assertThat(acquisition.ended()).isNotDone();
		deletion.fails(unknown());
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void givesBackWhatWasGrantedWhenItWasCancelled() {
		Acquisition acquisition = waiting();
		acquisition.start();
		this.store.request("SET").applied(1);
		acquisition.cancel();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertNothingLeft();
	}

	@Test
	void hasNotEndedBeforeItsPlaceInLineIsGivenBack() {
		ScriptedStore place = new ScriptedStore();
		Acquisition acquisition = waitingInLine(place);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		place.request("SET").applied(2);
		this.store.request("SET").applied(3);
		assertLease(acquisition.result(), 3);
		ScriptedStore.Request release = place.request("VDEL");
		assertThat(acquisition.ended()).isNotDone();
		release.done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void hasNotEndedBeforeAPlaceThatCameTooLateIsGivenBack() {
		ScriptedStore place = new ScriptedStore();
		Acquisition acquisition = waitingInLine(place);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		ScriptedStore.Request request = place.request("SET");
		acquisition.abort(new IllegalStateException("stopped"));
		assertThat(acquisition.ended()).isNotDone();
		request.applied(2);
		place.request("VDEL").done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void leavesTheLineIfTheObservationCannotBeClosed() {
		ScriptedStore place = new ScriptedStore();
		Acquisition acquisition = waitingInLine(place);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		place.request("SET").applied(2);
		this.store.closeFails = new OutOfMemoryError("test");
		this.store.request("SET").applied(3);
		place.request("VDEL").done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void givesNothingBackThatItSurelyHasNot() {
		Acquisition acquisition = waiting();
		acquisition.start();
		this.store.request("SET").fails(unknown());
		this.store.pass(Duration.ofMillis(50));
		this.store.request("SET").notApplied(1);
		acquisition.abort(new IllegalStateException("stopped"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		acquisition.cancel();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void whatWasNotSentIsTriedAgainWithPauses() {
		CompletableFuture<@Nullable Lease> result = acquisition(WaitLimit.FOREVER).start();
		for (int pause : new int[] { 50, 100, 200, 400, 800, 1000, 1000 }) {
			this.store.request("SET").fails(new StateStoreNotSentException("no connection"));
			this.store.pass(Duration.ofMillis(pause - 1));
			this.store.assertNoRequest();
			this.store.pass(Duration.ofMillis(1));
		}
		this.store.request("SET").applied(7);
		assertLease(result, 7);
	}

	@Test
	void aRefusalEndsIt() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "no"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void invalidRequestEndsWait() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreInvalidRequestException("too large"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void afterAnUnexpectedFailureNobodyKnows() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreException("unexpected"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertNothingLeft();
	}

	@Test
	void aReplyThatTookALeaseIsNoLease() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		ScriptedStore.Request request = this.store.request("SET");
		this.store.pause(ScriptedStore.TERMS.reliable());
		request.applied(1);
		assertThat(result).isNotDone();
		this.store.pass(Duration.ZERO);
		this.store.request("SET").applied(2);
		assertLease(result, 2);
	}

	@Test
	void nobodyWaitsForWhatHasFailed() {
		this.store.setFails = new OutOfMemoryError("test");
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		assertThat(acquisition.start()).isCompletedExceptionally();
		assertThat(this.store.request("VDEL").holder()).isEqualTo(ScriptedStore.MINE);
	}

	@Test
	void nobodyWaitsIfItCannotBeObserved() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.watchFails = new OutOfMemoryError("test");
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedExceptionally();
	}

	@Test
	void nobodyWaitsIfThereIsNoTimer() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.scheduleFails = new OutOfMemoryError("unable to create native thread");
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedExceptionally();
	}

	@Test
	void nobodyWaitsIfTheObservationCannotBeClosed() {
		Acquisition acquisition = waiting();
		CompletableFuture<@Nullable Lease> result = acquisition.start();
		this.store.request("SET").notApplied(1);
		ScriptedWatch watch = this.store.watch();
		watch.start();
		this.store.closeFails = new OutOfMemoryError("test");
		this.store.request("SET").applied(2);
		assertLease(result, 2);
		assertThat(acquisition.ended()).isDone();
	}

	private void assertNothingLeft() {
		this.store.assertNoRequest();
		assertThat(this.store.timers()).isZero();
		assertThat(this.store.watches).allMatch((watch) -> watch.closed);
	}

	/** A store that forbids the place of who is next. */
	private static final class NoPlace implements LockStore {

		@Override
		public void acquire(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			callback.done(null, new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "not authorized"));
		}

		@Override
		public Runnable renew(Bytes holder, Duration lease, Duration timeout, Callback<SetResult> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void delete(Bytes holder, Duration timeout, Callback<DeleteResult> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void read(Duration timeout, Callback<Optional<Entry<Bytes>>> callback) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Watch watch(Watcher watcher) {
			throw new UnsupportedOperationException();
		}

	}

}
