package io.statestore.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.statestore.listener.ListenerRegistrySupport.Settings;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Starts, stops, and waits of a registry, with a simulated clock. */
class ListenerRegistrySupportTests {

	private final AtomicLong clock = new AtomicLong();

	private final List<String> events = new ArrayList<>();

	private final Registry registry = new Registry();

	@Test
	void startsWantedListenersWithRegistry() {
		this.registry.register(new Endpoint("a", true));
		this.registry.register(new Endpoint("b", false));
		assertThat(this.events).isEmpty();
		this.registry.start();
		assertThat(this.events).containsExactly("start a");
		this.registry.start("b");
		assertThat(this.events).containsExactly("start a", "start b");
	}

	@Test
	void startsRegisteredListenerWhileRunning() {
		this.registry.start();
		this.registry.register(new Endpoint("a", true));
		assertThat(this.events).containsExactly("start a");
	}

	@Test
	void remembersStopByIdAcrossRestart() {
		this.registry.register(new Endpoint("a", true));
		this.registry.start();
		this.registry.stop("a");
		this.registry.stop();
		this.registry.start();
		assertThat(this.events).containsExactly("start a", "stop a");
		this.registry.start("a");
		assertThat(this.events).containsExactly("start a", "stop a", "start a");
	}

	@Test
	void sharesOneDeadlineAmongAllListeners() {
		this.registry.register(new Endpoint("a", true, 7, false));
		this.registry.register(new Endpoint("b", true, 7, false));
		this.registry.start();
		this.clock.set(0);
		this.registry.stop();
		assertThat(this.clock).hasValue(TimeUnit.SECONDS.toNanos(10));
	}

	@Test
	void doesNotWaitForCaller() {
		this.registry.register(new Endpoint("a", true, 7, true));
		this.registry.start();
		this.registry.stop("a");
		assertThat(this.clock).hasValue(0);
		assertThat(this.events).containsExactly("start a", "stop a");
	}

	@Test
	void reportsStartThatTakesTooLong() {
		this.registry.register(new Endpoint("a", true, 4, false));
		this.registry.start();
		assertThat(this.events).containsExactly("start a", "pending a: timed out");
	}

	@Test
	void stopsAllWhenOneFailsToStart() {
		this.registry.register(new Endpoint("a", true));
		this.registry.register(new Endpoint("fails", true));
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.registry::start);
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(this.registry.get("a").running).isFalse();
	}

	@Test
	void refusesSecondListenerWithSameId() {
		this.registry.register(new Endpoint("a", true));
		assertThatIllegalStateException().isThrownBy(() -> this.registry.register(new Endpoint("a", true)))
			.withMessageContainingAll("Two test listeners", "'a'", "another 'id'");
	}

	@Test
	void namesIdsWhenListenerIsUnknown() {
		this.registry.register(new Endpoint("a", true));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.stop("b"))
			.withMessageContainingAll("no test listener", "'b'", "[a]");
	}

	@Test
	void unregisteredIdMayBeUsedAgain() {
		this.registry.start();
		this.registry.register(new Endpoint("a", true));
		this.registry.unregister("a");
		this.registry.unregister("a");
		assertThat(this.registry.ids()).isEmpty();
		this.registry.register(new Endpoint("a", true));
		assertThat(this.events).containsExactly("start a", "stop a", "start a");
	}

	@Test
	void removesListenerThatFailsToStart() {
		this.registry.start();
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.register(new Endpoint("fails", true)));
		assertThat(this.registry.ids()).isEmpty();
	}

	@Test
	void refusedListenerDoesNotRemoveExistingListener() {
		this.registry.register(new Endpoint("a", true));
		assertThatIllegalStateException().isThrownBy(() -> this.registry.register(new Endpoint("a", true)));
		assertThat(this.registry.ids()).containsExactly("a");
	}

	@Test
	void startLosesRaceWithUnregistration() {
		Endpoint endpoint = new Endpoint("a", false);
		this.registry.start();
		this.registry.register(endpoint);
		this.registry.beforeStart = () -> {
			this.registry.unregister("a");
			endpoint.setWanted(true);
		};
		this.registry.start("a");
		assertThat(endpoint.running).isFalse();
	}

	private final class Registry extends ListenerRegistrySupport<Deprecated, Endpoint> {

		private Runnable beforeStart = () -> {
		};

		private Registry() {
			super(new Settings("test", true, Duration.ofSeconds(3), Duration.ofSeconds(10),
					ListenerRegistrySupportTests.this.clock::get));
		}

		@Override
		protected Function<AnnotatedMethod<Deprecated>, Endpoint> endpointFactory(ConfigurableBeanFactory beanFactory,
				ListenerAttributes attributes) {
			throw new UnsupportedOperationException();
		}

		@Override
		protected Completion start(Endpoint endpoint, BooleanSupplier toRun) {
			this.beforeStart.run();
			if (endpoint.id().equals("fails")) {
				throw new UnsupportedOperationException();
			}
			return change(endpoint, toRun.getAsBoolean(), "start ");
		}

		@Override
		protected Completion stop(Endpoint endpoint, BooleanSupplier toRun) {
			return change(endpoint, toRun.getAsBoolean(), "stop ");
		}

		@Override
		protected void startPending(Endpoint endpoint, String problem) {
			ListenerRegistrySupportTests.this.events.add("pending " + endpoint.id() + ": " + problem);
		}

		private Completion change(Endpoint endpoint, boolean running, String event) {
			if (endpoint.running == running) {
				return Completion.DONE;
			}
			endpoint.running = running;
			ListenerRegistrySupportTests.this.events.add(event + endpoint.id());
			return (remaining) -> {
				long left = remaining.get().toNanos();
				long needed = TimeUnit.SECONDS.toNanos(endpoint.seconds);
				ListenerRegistrySupportTests.this.clock.addAndGet(Math.min(left, needed));
				if (needed > left) {
					throw new TimeoutException();
				}
			};
		}

	}

	private static final class Endpoint extends ListenerEndpointSupport {

		/** Seconds that a start or stop takes. */
		private final int seconds;

		private final boolean calledBySelf;

		private boolean running;

		private Endpoint(String id, boolean autoStartup) {
			this(id, autoStartup, 0, false);
		}

		private Endpoint(String id, boolean autoStartup, int seconds, boolean calledBySelf) {
			super(id, autoStartup);
			this.seconds = seconds;
			this.calledBySelf = calledBySelf;
		}

		@Override
		protected boolean isCalledBySelf() {
			return this.calledBySelf;
		}

	}

}
