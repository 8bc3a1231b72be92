package io.statestore.client.lock.annotation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.leader.LeaderOnly;
import io.statestore.client.leader.LeaderOnlyAnnotationBeanPostProcessor;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import io.statestore.client.lock.StateStoreLockRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/** Order of the lock and other advice of a method. */
class LockedOrderTests {

	private static final StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());

	private static final List<String> events = new ArrayList<>();

	private static final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeAll
	static void start() {
		context.register(Enabled.class);
		context.registerBean(LeaderOnlyAnnotationBeanPostProcessor.class);
		context.registerBean(LockedAnnotationBeanPostProcessor.class);
		context.registerBean(StateStoreLockRegistry.class, () -> new StateStoreLockRegistry(template));
		context.registerBean(Transactions.class, () -> new Transactions(LockedOrderTests::record));
		context.registerBean(StateStoreLeaderInitiator.class,
				() -> new StateStoreLeaderInitiator(new StateStoreLockRegistry(template).obtain("role"),
						new DefaultCandidate("id", "role")));
		context.registerBean(Press.class, () -> new Press(LockedOrderTests::record));
		context.refresh();
	}

	@AfterAll
	static void close() {
		context.close();
	}

	@BeforeEach
	void forgetEvents() {
		events.clear();
	}

	private static void record(String event) {
		events.add(event + (template.exists("press") ? " under lock" : " without lock"));
	}

	@Test
	void lockOutlastsTransaction() {
		context.getBean(Press.class).write();
		assertThat(events).containsExactly("begin under lock", "write under lock", "commit under lock");
		assertThat(template.exists("press")).isFalse();
	}

	@Test
	void otherAdvicePrecedesLock() {
		List<String> advice = Arrays.stream(((Advised) context.getBean(Press.class)).getAdvisors())
			.map(Advisor::getAdvice)
			.map((each) -> each.getClass().getSimpleName())
			.toList();
		assertThat(advice.subList(0, 3)).containsExactlyInAnyOrder("LeaderOnlyInterceptor",
				"AnnotationAsyncExecutionInterceptor", "RetryAnnotationInterceptor");
		assertThat(advice.get(3)).isEqualTo("LockedInterceptor");
	}

	@EnableTransactionManagement(proxyTargetClass = true)
	@EnableAsync
	@EnableResilientMethods
	static class Enabled {

	}

	static class Press {

		private final Consumer<String> events;

		Press(Consumer<String> events) {
			this.events = events;
		}

		@Locked("press")
		@Transactional
		void write() {
			this.events.accept("write");
		}

		@Async
		@Locked("press")
		@LeaderOnly
		@Retryable
		void everything() {
		}

	}

	static class Transactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private final transient Consumer<String> events;

		Transactions(Consumer<String> events) {
			this.events = events;
		}

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.events.accept("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.events.accept("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.events.accept("rollback");
		}

	}

}
