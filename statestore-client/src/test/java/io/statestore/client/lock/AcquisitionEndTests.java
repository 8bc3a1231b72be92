package io.statestore.client.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.DeleteResult.Outcome;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreInvalidRequestException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.lock.ScriptedStore.ScriptedWatch;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** End, cleanup, and failures of an attempt to acquire a lock. */
class AcquisitionEndTests extends AcquisitionFixture {

	@Test
	void timesOutAndDeletesPossibleGrant() {
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
	void releasesLateGrantAfterCancel() {
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
	void releasesLeaseOnCancel() {
		Acquisition acquisition = waiting();
		acquisition.start();
		this.store.request("SET").applied(1);
		acquisition.cancel();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertNothingLeft();
	}

	@Test
	void endsAfterSuccessorLockIsReleased() {
		ScriptedStore successor = new ScriptedStore();
		Acquisition acquisition = waitingForSuccessorLock(successor);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		successor.request("SET").applied(2);
		this.store.request("SET").applied(3);
		assertLease(acquisition.result(), 3);
		ScriptedStore.Request release = successor.request("VDEL");
		assertThat(acquisition.ended()).isNotDone();
		release.done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void endsAfterLateSuccessorLockIsReleased() {
		ScriptedStore successor = new ScriptedStore();
		Acquisition acquisition = waitingForSuccessorLock(successor);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		ScriptedStore.Request request = successor.request("SET");
		acquisition.abort(new IllegalStateException("stopped"));
		assertThat(acquisition.ended()).isNotDone();
		request.applied(2);
		successor.request("VDEL").done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void releasesSuccessorLockIfWatchFailsToClose() {
		ScriptedStore successor = new ScriptedStore();
		Acquisition acquisition = waitingForSuccessorLock(successor);
		acquisition.start();
		this.store.request("SET").notApplied(1);
		successor.request("SET").applied(2);
		this.store.closeFails = new OutOfMemoryError("test");
		this.store.request("SET").applied(3);
		successor.request("VDEL").done(Outcome.DELETED);
		assertThat(acquisition.ended()).isDone();
	}

	@Test
	void deletesNothingIfDefinitelyNotGranted() {
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
	void endsOnRefusal() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreRefusedException(ErrorReason.NOT_AUTHORIZED, "no"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void endsOnInvalidRequest() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreInvalidRequestException("too large"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		assertThat(acquisition.ended()).isDone();
		assertNothingLeft();
	}

	@Test
	void deletesPossibleGrantAfterUnexpectedFailure() {
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		acquisition.start();
		this.store.request("SET").fails(new StateStoreException("unexpected"));
		assertThat(acquisition.result()).isCompletedExceptionally();
		this.store.request("VDEL").done(Outcome.DELETED);
		assertNothingLeft();
	}

	@Test
	void failsIfRequestCannotBeSent() {
		this.store.setFails = new OutOfMemoryError("test");
		Acquisition acquisition = acquisition(WaitLimit.FOREVER);
		assertThat(acquisition.start()).isCompletedExceptionally();
		assertThat(this.store.request("VDEL").holder()).isEqualTo(ScriptedStore.MINE);
	}

	@Test
	void failsIfKeyCannotBeWatched() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.watchFails = new OutOfMemoryError("test");
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedExceptionally();
	}

	@Test
	void failsWithoutTimer() {
		CompletableFuture<@Nullable Lease> result = waiting().start();
		this.store.scheduleFails = new OutOfMemoryError("unable to create native thread");
		this.store.request("SET").notApplied(1);
		assertThat(result).isCompletedExceptionally();
	}

	@Test
	void grantsLeaseIfWatchFailsToClose() {
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

}
