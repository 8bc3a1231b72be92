package io.statestore.client.leader;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.annotation.EnableStateStoreListeners;
import io.statestore.client.annotation.StateStoreListener;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Annotated methods in a Spring context, with an election on the embedded broker. */
@Timeout(60)
class LeaderOnlyTests {

	private static final String KEY = RecordingCandidate.ROLE;

	private static StateStoreBroker broker;

	private static TestClient client;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeAll
	static void startBroker() {
		broker = StateStoreBroker.builder().start();
		client = new TestClient(broker.port()).start();
	}

	@AfterAll
	static void stopBroker() {
		client.close();
		broker.close();
	}

	@AfterEach
	void close() {
		this.context.close();
		client.template.delete(KEY);
	}

	private <T> T start(Class<T> type) {
		this.context.register(Election.class);
		this.context.registerBean(type);
		this.context.refresh();
		return this.context.getBean(type);
	}

	private StateStoreLeaderInitiator initiator() {
		return this.context.getBean(StateStoreLeaderInitiator.class);
	}

	private void awaitLeader() {
		await("leadership").until(initiator()::isLeader);
	}

	@Test
	void runsScheduledMethodOnlyWhileLeading() {
		client.template.set(KEY, "other");
		Oven oven = start(Oven.class);
		await("calls by the scheduler").until(() -> oven.calls().get() > 3);
		assertThat(oven.leaderCalls()).hasValue(0);
		client.template.delete(KEY);
		await("calls as leader").until(() -> oven.leaderCalls().get() > 0);
		initiator().stop();
		int before = oven.leaderCalls().get();
		int calls = oven.calls().get();
		await("calls by the scheduler").until(() -> oven.calls().get() > calls + 3);
		// One call may have started before the end of the term.
		assertThat(oven.leaderCalls().get()).isBetween(before, before + 1);
	}

	@Test
	void callsListenerOnlyWhileLeading() {
		this.context.register(Listeners.class);
		Display display = start(Display.class);
		awaitLeader();
		client.template.set("temperature", 180.0);
		await("a change").until(() -> display.changes().get() == 1);
		initiator().stop();
		display.changed(200.0);
		assertThat(display.changes()).hasValue(1);
	}

	@Test
	void usesInitiatorForRole() {
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("test", Map.of("role", "other-role")));
		this.context.registerBean("otherInitiator", StateStoreLeaderInitiator.class,
				() -> new StateStoreLeaderInitiator(new StateStoreLockRegistry(client.template).obtain("other-role"),
						new DefaultCandidate("id", "other-role")));
		TwoRoles beans = start(TwoRoles.class);
		StateStoreLeaderInitiator other = this.context.getBean("otherInitiator", StateStoreLeaderInitiator.class);
		StateStoreLeaderInitiator oven = this.context.getBean("initiator", StateStoreLeaderInitiator.class);
		await("two leaders").until(() -> other.isLeader() && oven.isLeader());
		beans.first();
		beans.second();
		assertThat(beans.calls()).hasValue(11);
		other.stop();
		beans.first();
		beans.second();
		assertThat(beans.calls()).hasValue(12);
	}

	@Test
	void supportsBeanBehindInterfaceProxy() {
		this.context.registerBean("shown", Shown.class, () -> {
			ProxyFactory factory = new ProxyFactory(new ShownOven());
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			return (Shown) factory.getProxy();
		});
		start(Oven.class);
		awaitLeader();
		Shown shown = this.context.getBean(Shown.class);
		shown.show();
		assertThat(shown.count()).isEqualTo(1);
		initiator().stop();
		shown.show();
		assertThat(shown.count()).isEqualTo(1);
	}

	@Test
	void refusesMethodWithResult() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(WithResult.class))
			.havingRootCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessageContainingAll("WithResult.bake()", "returns a value");
	}

	@Test
	void refusesMethodThatCannotBeProxied() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(WithPrivateMethod.class))
			.havingRootCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessageContainingAll("WithPrivateMethod.bake()", "private");
	}

	@Test
	void refusesUnknownRole() {
		assertThatIllegalStateException().isThrownBy(() -> start(UnknownRole.class))
			.withMessageContainingAll("UnknownRole.bake()", KEY, "'unknown'");
	}

	@Test
	void refusesToStartWithoutElection() {
		this.context.registerBean(LeaderOnlyAnnotationBeanPostProcessor.class);
		this.context.registerBean(Oven.class);
		assertThatIllegalStateException().isThrownBy(this.context::refresh)
			.withMessageContainingAll("Oven.bake()", "statestore.leader.enabled");
	}

	@Test
	void leavesOtherBeansUnproxied() {
		try (GenericApplicationContext plain = new AnnotationConfigApplicationContext(
				LeaderOnlyAnnotationBeanPostProcessor.class, Plain.class)) {
			assertThat(plain.getBean(Plain.class).getClass()).isSameAs(Plain.class);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Election {

		@Bean
		static LeaderOnlyAnnotationBeanPostProcessor leaderOnly() {
			return new LeaderOnlyAnnotationBeanPostProcessor();
		}

		@Bean
		Candidate candidate() {
			return new RecordingCandidate();
		}

		@Bean
		@Primary
		StateStoreLeaderInitiator initiator(Candidate candidate) {
			return new StateStoreLeaderInitiator(new StateStoreLockRegistry(client.template).obtain(KEY), candidate);
		}

	}

	static class Oven {

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger leaderCalls = new AtomicInteger();

		@Scheduled(fixedRate = 5)
		void always() {
			this.calls.incrementAndGet();
		}

		@Scheduled(fixedRate = 5)
		@LeaderOnly
		void bake() {
			this.leaderCalls.incrementAndGet();
		}

		AtomicInteger calls() {
			return this.calls;
		}

		AtomicInteger leaderCalls() {
			return this.leaderCalls;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStateStoreListeners
	static class Listeners {

		@Bean
		StateStoreOperations operations() {
			return client.template;
		}

	}

	static class Display {

		private final AtomicInteger changes = new AtomicInteger();

		@LeaderOnly
		@StateStoreListener(keys = "temperature")
		void changed(Double celsius) {
			this.changes.incrementAndGet();
		}

		AtomicInteger changes() {
			return this.changes;
		}

	}

	static class TwoRoles {

		private final AtomicInteger calls = new AtomicInteger();

		@LeaderOnly
		void first() {
			this.calls.incrementAndGet();
		}

		@LeaderOnly(role = "${role}")
		void second() {
			this.calls.addAndGet(10);
		}

		AtomicInteger calls() {
			return this.calls;
		}

	}

	interface Shown {

		void show();

		int count();

	}

	static class ShownOven implements Shown {

		private int count;

		@Override
		@LeaderOnly
		public void show() {
			this.count++;
		}

		@Override
		public int count() {
			return this.count;
		}

	}

	static class WithResult {

		@LeaderOnly
		int bake() {
			return 1;
		}

	}

	static class WithPrivateMethod {

		@LeaderOnly
		private void bake() {
		}

	}

	static class UnknownRole {

		@LeaderOnly(role = "unknown")
		void bake() {
		}

	}

	static class Plain {

	}

}
