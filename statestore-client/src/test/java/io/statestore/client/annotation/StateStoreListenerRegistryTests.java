package io.statestore.client.annotation;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.observation.ObservationRegistry;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyChangeErrorHandler;
import io.statestore.client.KeyChangeListener;
import io.statestore.client.KeyObservation;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.MqttCommandInvoker;
import io.statestore.client.mqtt.MqttNotificationSource;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.TestedTransport;
import io.statestore.client.observation.KeyObservations;
import io.statestore.client.observation.ObservationOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Starting and stopping listeners by several threads, and by the listeners. */
@Timeout(120)
class StateStoreListenerRegistryTests {

	private static StateStoreBroker broker;

	private static StateStoreConnection connection;

	private static MqttCommandInvoker invoker;

	private static KeyObservations observations;

	private static StateStoreOperations store;

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final AtomicReference<@Nullable Runnable> onNextStart = new AtomicReference<>();

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final StateStoreListenerRegistry registry = registry(Duration.ofSeconds(30));

	@BeforeAll
	static void connect() {
		broker = StateStoreBroker.builder().start();
		connection = new StateStoreConnection(TestedTransport.options()
			.host("localhost")
			.port(broker.port())
			.startTimeout(Duration.ofSeconds(20))
			.build());
		connection.start();
		invoker = new MqttCommandInvoker(connection);
		observations = new KeyObservations(new MqttNotificationSource(connection), invoker);
		store = template(observations);
	}

	private static StateStoreOperations template(KeyObservations observations) {
		return new StateStoreTemplate(invoker, new JacksonValueConverter(JsonMapper.builder().build()), observations);
	}

	@AfterAll
	static void disconnect() {
		observations.close();
		connection.stop();
		broker.close();
	}

	@BeforeEach
	void captureLog() {
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void stop() {
		this.registry.stop();
		logger().detachAppender(this.log);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(StateStoreListenerRegistry.class);
	}

	/** Runs what a test wants to happen just when a listener is to start. */
	private StateStoreListenerRegistry registry(Duration startTimeout) {
		return new StateStoreListenerRegistry(() -> {
			Runnable action = this.onNextStart.getAndSet(null);
			if (action != null) {
				action.run();
			}
			return store;
		}, startTimeout);
	}

	private static StateStoreListenerEndpoint endpoint(KeyChangeListener<Object> listener,
			@Nullable KeyChangeErrorHandler errorHandler) {
		return endpoint("it", listener, errorHandler);
	}

	private static StateStoreListenerEndpoint endpoint(String id, KeyChangeListener<Object> listener,
			@Nullable KeyChangeErrorHandler errorHandler) {
		return new StateStoreListenerEndpoint(id, List.of(Key.of("key")), String.class,
				new StateStoreListenerEndpoint.Options(Set.of(Operation.SET), false, false, errorHandler, true),
				listener);
	}

	private StateStoreListenerEndpoint register(KeyChangeListener<Object> listener) {
		StateStoreListenerEndpoint endpoint = endpoint(listener, null);
		this.registry.register(endpoint);
		return endpoint;
	}

	private void record(KeyChange<Object> change) {
		this.calls.add(String.valueOf(change.value()));
	}

	private static void inParallel(Runnable... actions) {
		CompletableFuture
			.allOf(List.of(actions).stream().map(CompletableFuture::runAsync).toArray(CompletableFuture[]::new))
			.join();
	}

	/** Write, and return when another listener of the key has been told. */
	private static void writeAndWait(String value) {
		List<String> told = new CopyOnWriteArrayList<>();
		try (KeyObservation other = store.observe("key", String.class, (spec) -> {
		}, (change) -> told.add(String.valueOf(change.value())))) {
			store.set("key", value);
			await().until(() -> told.contains(value));
		}
	}

	@Test
	void listenerThatIsStoppedWhileTheRegistryStartsStaysStopped() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		this.onNextStart.set(() -> this.registry.stop("it"));
		this.registry.start();
		assertThat(endpoint.isRunning()).isFalse();
		this.registry.stop();
		this.registry.start();
		assertThat(endpoint.isRunning()).isFalse();
	}

	@Test
	void listenerThatIsStartedWhileTheRegistryStopsDoesNotRun() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		this.registry.start();
		this.registry.stop("it");
		this.onNextStart.set(this.registry::stop);
		this.registry.start("it");
		assertThat(endpoint.isRunning()).isFalse();
		this.registry.start();
		assertThat(endpoint.isActive()).isTrue();
	}

	@Test
	void listenerThatIsRegisteredWhileTheRegistryStopsDoesNotRun() {
		this.registry.start();
		this.onNextStart.set(this.registry::stop);
		assertThat(register(this::record).isRunning()).isFalse();
	}

	@Test
	void anyOrderByAnyThreadsLeavesOneObservationAtMost() {
		StateStoreListenerEndpoint endpoint = register(this::record);
		List<Runnable> actions = List.of(this.registry::start, this.registry::stop, () -> this.registry.start("it"),
				() -> this.registry.stop("it"));
		for (int round = 0; round < 50; round++) {
			int first = round;
			inParallel(IntStream.range(0, 4)
				.mapToObj((i) -> actions.get((first + i * (1 + first / 4)) % 4))
				.toArray(Runnable[]::new));
			boolean running = endpoint.isRunning();
			boolean registryRunning = this.registry.isRunning();
			this.registry.start();
			assertThat(running).isEqualTo(registryRunning && endpoint.isRunning());
			if (!registryRunning) {
				this.registry.stop();
			}
		}
		inParallel(this.registry::start, () -> this.registry.start("it"));
		assertThat(endpoint.isActive()).isTrue();
		writeAndWait("1");
		writeAndWait("2");
		await().until(() -> this.calls.contains("2"));
		assertThat(this.calls).containsExactly("1", "2");
		this.registry.stop();
		writeAndWait("3");
		assertThat(this.calls).containsExactly("1", "2");
	}

	@Test
	void restartedListenerIsNotCalledBeforeItsLastCallHasEnded() {
		StateStoreListenerRegistry impatient = registry(Duration.ZERO);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch release = new CountDownLatch(1);
		StateStoreListenerEndpoint endpoint = endpoint((change) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			record(change);
			release.await();
			running.decrementAndGet();
		}, null);
		impatient.register(endpoint);
		impatient.start();
		await().until(endpoint::isActive);
		store.set("key", "1");
		await().until(() -> this.calls.contains("1"));
		stopWithoutWaiting(impatient);
		assertThat(endpoint.isRunning()).isFalse();
		for (int i = 0; i < 3; i++) {
			impatient.start("it");
			writeAndWait("2");
			assertThat(endpoint.isRunning()).isTrue();
			stopWithoutWaiting(impatient);
		}
		impatient.start("it");
		assertThat(endpoint.isActive()).isFalse();
		writeAndWait("2");
		release.countDown();
		await().until(endpoint::isActive);
		store.set("key", "3");
		await().until(() -> this.calls.contains("3"));
		assertThat(most).hasValue(1);
		assertThat(this.calls).containsExactly("1", "3");
		impatient.stop();
		assertThat(this.log.list).extracting(ILoggingEvent::getFormattedMessage)
			.anyMatch((line) -> line.contains("'it' is still running"))
			.anyMatch((line) -> line.contains("'it' does not observe [key] yet: its last call is still running"));
	}

	private static void stopWithoutWaiting(StateStoreListenerRegistry registry) {
		Thread.currentThread().interrupt();
		registry.stop("it");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void listenerMayStartAnotherOneOnTheOnlyThreadOfTheListeners() {
		ExecutorService onlyThread = Executors.newSingleThreadExecutor();
		try (KeyObservations crowded = new KeyObservations(new MqttNotificationSource(connection), invoker,
				ObservationOptions.DEFAULT, onlyThread, ObservationRegistry.NOOP)) {
			StateStoreOperations operations = template(crowded);
			StateStoreListenerRegistry patient = new StateStoreListenerRegistry(() -> operations,
					Duration.ofMinutes(5));
			StateStoreListenerEndpoint other = endpoint("other", (change) -> {
			}, null);
			patient.register(endpoint((change) -> {
				patient.register(other);
				record(change);
			}, null));
			patient.start();
			store.set("key", "1");
			await().until(() -> this.calls.contains("1"));
			assertThat(other.isActive()).isTrue();
			patient.stop();
		}
		finally {
			onlyThread.shutdownNow();
		}
	}

	@Test
	void listenerMayStopItself() {
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
	void errorHandlerMayStopItsListener() {
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
	void listenerMayRestartItself() {
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
	void listenerMayCloseTheContext() throws Exception {
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
