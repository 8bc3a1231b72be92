package io.statestore.client.leader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ElectionTests {

	@Test
	void endsIfThreadCannotBeStarted() {
		FencedLock lock = new StateStoreLockRegistry(
				new StateStoreTemplate((command, options) -> new CompletableFuture<>()))
			.obtain("leader");
		Election election = new Election(lock, (held) -> {
			throw new AssertionError("not to be called");
		}, (task) -> {
			throw new RejectedExecutionException("expected");
		}, TimeSource.SYSTEM, CompletableFuture.completedFuture(null));
		election.start();
		assertThat(election.ended()).isDone();
	}

}
