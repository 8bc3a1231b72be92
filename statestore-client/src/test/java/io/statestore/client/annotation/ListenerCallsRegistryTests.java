package io.statestore.client.annotation;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.statestore.client.ClientResources;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Calls of the registry by listeners and their error handlers. */
@Timeout(120)
@Isolated("captures the log")
class ListenerCallsRegistryTests extends RegistrySetup {

	@Test
	void listenerStartsAnotherOnOnlyThread() {
		ExecutorService onlyThread = Executors.newSingleThreadExecutor();
		try (KeyWatches watches = new KeyWatches(connection, WatchOptions.DEFAULT, onlyThread,
				StateStoreObservability.NONE, new ClientResources())) {
			StateStoreOperations operations = template(watches);
			StateStoreListenerRegistry registry = new StateStoreListenerRegistry(() -> operations,
					Duration.ofMinutes(5));
			StateStoreListenerEndpoint other = endpoint("other", (change) -> {
			}, null);
			registry.register(endpoint((change) -> {
				registry.register(other);
				record(change);
			}, null));
			registry.start();
			store.set("key", "1");
			await().until(() -> this.calls.contains("1"));
			assertThat(other.isActive()).isTrue();
			registry.stop();
		}
		finally {
			onlyThread.shutdownNow();
		}
	}

	@Test
	void listenerStopsItself() {
		StateStoreListenerEndpoint endpoint = register((change) -> {
			this.registry.stop("it");
			record(change);
		});
		this.registry.start();
		store.set("key", "1");
		await().until(() -> this.calls.contains("1"));
		assertThat(endpoint.isRunning()).isFalse();
		writeAndWait("2");
		this.registry.start("it");
		store.set("key", "3");
		await().until(() -> this.calls.contains("3"));
		assertThat(this.calls).containsExactly("1", "3");
		assertThat(this.log.list).isEmpty();
	}

	@Test
	void errorHandlerStopsItsListener() {
		StateStoreListenerEndpoint endpoint = endpoint((change) -> {
			throw new IllegalStateException("bad luck");
		}, (id, change, failure) -> {
			this.registry.stop(id);
			this.calls.add(String.valueOf(failure.getMessage()));
		});
		this.registry.register(endpoint);
		this.registry.start();
		store.set("key", "1");
		await().until(() -> this.calls.contains("bad luck"));
		assertThat(endpoint.isRunning()).isFalse();
		assertThat(this.log.list).isEmpty();
	}

	@Test
	void listenerRestartsItself() {
		StateStoreListenerEndpoint endpoint = register((change) -> {
			this.registry.stop("it");
			this.registry.start("it");
			record(change);
		});
		this.registry.start();
		store.set("key", "1");
		await().until(() -> this.calls.contains("1"));
		await().until(endpoint::isActive);
		store.set("key", "2");
		await().until(() -> this.calls.contains("2"));
		await().until(endpoint::isActive);
		assertThat(this.calls).containsExactly("1", "2");
		assertThat(this.log.list).isEmpty();
	}

	@Test
	void listenerClosesContext() throws Exception {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		CountDownLatch closed = new CountDownLatch(1);
		StateStoreListenerEndpoint endpoint = register((change) -> {
			context.close();
			closed.countDown();
		});
		context.registerBean(StateStoreListenerRegistry.class, () -> this.registry);
		context.refresh();
		assertThat(endpoint.isActive()).isTrue();
		store.set("key", "1");
		assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
		assertThat(context.isActive()).isFalse();
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(endpoint.isRunning()).isFalse();
		assertThat(this.log.list).isEmpty();
	}

}
