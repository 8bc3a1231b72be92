package io.statestore.boot.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.boot.StateStoreLeaderAutoConfiguration;
import io.statestore.boot.StateStoreLockAutoConfiguration;
import io.statestore.boot.actuate.StateStoreEndpoint.LeaderDescriptor;
import io.statestore.boot.actuate.StateStoreEndpoint.LockDescriptor;
import io.statestore.boot.actuate.StateStoreEndpoint.MessageDescriptor;
import io.statestore.boot.actuate.StateStoreEndpoint.Section;
import io.statestore.boot.actuate.StateStoreEndpoint.StateStoreDescriptor;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostEvent;
import io.statestore.client.lock.LockLostEvent.Reason;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

@Timeout(60)
class StateStoreEndpointTests {

	private static final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.port=" + broker.port(), "statestore.client-id=oven-1",
				"statestore.lock.key-prefix=locks/", "management.endpoints.web.exposure.include=statestore")
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, StateStoreAutoConfiguration.class,
				StateStoreLockAutoConfiguration.class, StateStoreLeaderAutoConfiguration.class,
				StateStoreEndpointAutoConfiguration.class));

	@AfterAll
	static void stop() {
		broker.close();
	}

	@Test
	void describesConnectionWatchesLocksAndRoles() {
		this.contextRunner.withPropertyValues("statestore.leader.enabled=true", "statestore.leader.role=oven")
			.run((context) -> {
				StateStoreEndpoint endpoint = context.getBean(StateStoreEndpoint.class);
				await("the leader").until(() -> leader(endpoint).leader());
				StateStoreOperations operations = context.getBean(StateStoreOperations.class);
				operations.watch("mode", String.class, (change) -> {
				}).awaitStarted(Duration.ofSeconds(10));
				operations.set("mode", "automatic");
				await("the version").untilAsserted(() -> assertThat(endpoint.section(Section.WATCHES).watches())
					.extractingByKey("stateStoreKeyWatches")
					.asInstanceOf(LIST)
					.anySatisfy((watch) -> assertThat(watch)
						.hasToString("WatchDescriptor[key=mode, active=true, version=%s, listeners=[mode]]"
							.formatted(operations.get("mode", String.class).orElseThrow().version()))));
				StateStoreDescriptor all = endpoint.stateStore();
				assertThat(all.connections()).containsOnlyKeys("stateStoreConnection");
				ConnectionDescriptor connection = get(all.connections(), "stateStoreConnection");
				assertThat(connection.connected()).isTrue();
				assertThat(connection.clientId()).isEqualTo("oven-1");
				assertThat(connection.lastRoundTrip()).isNotNull();
				LockDescriptor lock = get(all.locks(), "stateStoreLockRegistry").get(0);
				assertThat(lock.key()).isEqualTo("locks/oven");
				assertThat(lock.holder()).startsWith("oven-1/");
				assertThat(lock.token()).isEqualTo(leader(endpoint).token());
				assertThat(Duration.parse(lock.remaining())).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
				assertThat(all.toString()).doesNotContain("automatic");
			});
	}

	@Test
	void showsSelectedSectionOnly() {
		this.contextRunner.run((context) -> {
			StateStoreEndpoint endpoint = context.getBean(StateStoreEndpoint.class);
			assertThat(endpoint.section(Section.LOCKS))
				.isEqualTo(new StateStoreDescriptor(null, null, Map.of("stateStoreLockRegistry", List.of()), null));
			assertThat(endpoint.section(Section.LEADERS))
				.isEqualTo(new StateStoreDescriptor(null, null, null, Map.of()));
			assertThat(endpoint.section(Section.CONNECTIONS).connections()).isNotEmpty();
		});
	}

	@Test
	void yieldsRole() {
		this.contextRunner.withPropertyValues("statestore.leader.enabled=true", "statestore.leader.role=oven")
			.run((context) -> {
				StateStoreEndpoint endpoint = context.getBean(StateStoreEndpoint.class);
				await("the leader").until(() -> leader(endpoint).leader());
				String token = leader(endpoint).token();
				assertThat(endpoint.end(Section.LEADERS, null, "oven", null))
					.isEqualTo(new MessageDescriptor("This process yields 'oven'"));
				assertThat(context.getBean(StateStoreLeaderInitiator.class).isLeader()).isFalse();
				await("the next term")
					.until(() -> leader(endpoint).leader() && !Objects.equals(leader(endpoint).token(), token));
			});
	}

	@Test
	void releasesLockByForceAndNotifiesHolder() {
		this.contextRunner.run((context) -> {
			FencedLock lock = context.getBean(StateStoreLockRegistry.class).obtain("press/1");
			List<LockLostEvent> losses = new CopyOnWriteArrayList<>();
			lock.addLossListener(losses::add);
			lock.lock();
			StateStoreEndpointWebExtension endpoint = context.getBean(StateStoreEndpointWebExtension.class);
			WebEndpointResponse<MessageDescriptor> response = endpoint.end(Section.LOCKS, "locks/press/1", null, null);
			assertThat(response.getStatus()).isEqualTo(200);
			assertThat(message(response)).startsWith("Lock 'locks/press/1' was forced free. Its holder was oven-1/");
			await("the loss").until(() -> !losses.isEmpty());
			assertThat(losses).extracting(LockLostEvent::reason).containsExactly(Reason.FORCED);
			assertThat(lock.holder()).isEmpty();
		});
	}

	@Test
	void respondsWith404ToUnknownNames() {
		this.contextRunner.run((context) -> {
			assert404(context, Section.LOCKS, null, "No lock 'unknown' is held");
			assert404(context, Section.LOCKS, "other", "'registry' to one of [stateStoreLockRegistry]");
			assert404(context, Section.LEADERS, null, "does not lead 'unknown'");
			assert404(context, Section.CONNECTIONS, null, "Use locks?key=... or leaders?role=...");
			assertThatExceptionOfType(NoSuchElementException.class)
				.isThrownBy(() -> context.getBean(StateStoreEndpoint.class).end(Section.LOCKS, "unknown", null, null));
		});
	}

	@Test
	void respondsWith400IfParameterIsMissing() {
		this.contextRunner.run((context) -> {
			StateStoreEndpointWebExtension endpoint = context.getBean(StateStoreEndpointWebExtension.class);
			WebEndpointResponse<MessageDescriptor> withoutKey = endpoint.end(Section.LOCKS, null, "oven", null);
			assertThat(withoutKey.getStatus()).isEqualTo(400);
			assertThat(message(withoutKey)).startsWith("The parameter 'key' is missing.");
			WebEndpointResponse<MessageDescriptor> withoutRole = endpoint.end(Section.LEADERS, "oven", "", null);
			assertThat(withoutRole.getStatus()).isEqualTo(400);
			assertThat(message(withoutRole)).startsWith("The parameter 'role' is missing.");
		});
	}

	@Test
	void respondsWith503IfStoreDoesNotAnswer() {
		this.contextRunner
			.withPropertyValues("statestore.port=1", "statestore.start-timeout=0s", "statestore.request-timeout=100ms")
			.run((context) -> {
				WebEndpointResponse<MessageDescriptor> response = context.getBean(StateStoreEndpointWebExtension.class)
					.end(Section.LOCKS, "press", null, null);
				assertThat(response.getStatus()).isEqualTo(503);
				assertThat(message(response)).contains("No connection to mqtt://localhost:1");
			});
	}

	@Test
	void isAbsentUnlessExposed() {
		this.contextRunner.withPropertyValues("management.endpoints.web.exposure.include=health")
			.run((context) -> assertThat(context).doesNotHaveBean(StateStoreEndpoint.class)
				.doesNotHaveBean(StateStoreEndpointWebExtension.class));
	}

	@Test
	void hintsAllowDescriptorSerialization() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, StateStoreEndpoint.class,
				StateStoreEndpointWebExtension.class);
		for (Class<?> type : List.of(StateStoreDescriptor.class, ConnectionDescriptor.class, LockDescriptor.class,
				LeaderDescriptor.class, MessageDescriptor.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).as(type.getName()).accepts(hints);
		}
	}

	private static void assert404(ApplicationContext context, Section section, @Nullable String registry,
			String message) {
		WebEndpointResponse<MessageDescriptor> response = context.getBean(StateStoreEndpointWebExtension.class)
			.end(section, "unknown", "unknown", registry);
		assertThat(response.getStatus()).isEqualTo(404);
		assertThat(message(response)).contains(message);
	}

	private static LeaderDescriptor leader(StateStoreEndpoint endpoint) {
		return get(endpoint.section(Section.LEADERS).leaders(), "oven");
	}

	private static <T> T get(@Nullable Map<String, T> section, String name) {
		return Objects.requireNonNull(Objects.requireNonNull(section).get(name));
	}

	private static String message(WebEndpointResponse<MessageDescriptor> response) {
		return Objects.requireNonNull(response.getBody()).message();
	}

}
