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
import org.junit.jupiter.api.AfterEach;
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

	private final StateStoreTemplate template = new StateStoreTemplate(new InMemoryStateStore());

	private final List<String> events = new ArrayList<>();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@BeforeEach
	void start() {
		this.context.register(Enabled.class);
		this.context.registerBean(LeaderOnlyAnnotationBeanPostProcessor.class);
		this.context.registerBean(LockedAnnotationBeanPostProcessor.class);
		this.context.registerBean(StateStoreLockRegistry.class, () -> new StateStoreLockRegistry(this.template));
		this.context.registerBean(Transactions.class, () -> new Transactions(this::record));
		this.context.registerBean(StateStoreLeaderInitiator.class,
				() -> new StateStoreLeaderInitiator(new StateStoreLockRegistry(this.template).obtain("role"),
						new DefaultCandidate("id", "role")));
		this.context.registerBean(Press.class, () -> new Press(this::record));
		this.context.refresh();
	}

	@AfterEach
	void close() {
		this.context.close();
	}

	private void record(String event) {
		this.events.add(event + (this.template.exists("press") ? " under lock" : " without lock"));
	}

	@Test
	void lockOutlastsTransaction() {
		this.context.getBean(Press.class).write();
		assertThat(this.events).containsExactly("begin under lock", "write under lock", "commit under lock");
		assertThat(this.template.exists("press")).isFalse();
	}

	@Test
	void otherAdvicePrecedesLock() {
		List<String> advice = Arrays.stream(((Advised) this.context.getBean(Press.class)).getAdvisors())
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
