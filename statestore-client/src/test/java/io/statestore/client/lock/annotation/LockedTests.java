package io.statestore.client.lock.annotation;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.Key;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.Tenure;
import io.statestore.client.observation.TestClient;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Annotated methods in two Spring contexts, whose locks are on a real socket. */
@Timeout(120)
class LockedTests {

	private static StateStoreBroker broker;

	private static TestClient client;

	private static TestClient other;

	private AnnotationConfigApplicationContext context;

	private AnnotationConfigApplicationContext elsewhere;

	private Press press;

	/** Registry of the other context. */
	private StateStoreLockRegistry registry;

	@BeforeAll
	static void startBroker() {
		broker = StateStoreBroker.builder().start();
		client = new TestClient(broker.port()).start();
		other = new TestClient(broker.port()).start();
	}

	@AfterAll
	static void stopBroker() {
		client.close();
		other.close();
		broker.close();
	}

	@BeforeEach
	void open() {
		this.context = context(client);
		this.elsewhere = context(other);
		this.press = this.context.getBean(Press.class);
		this.registry = this.elsewhere.getBean(StateStoreLockRegistry.class);
	}

	@AfterEach
	void close() {
		this.context.close();
		this.elsewhere.close();
	}

	private static AnnotationConfigApplicationContext context(TestClient client) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", Map.of("line", "line-1")));
		context.registerBean(LockedAnnotationBeanPostProcessor.class);
		context.registerBean(StateStoreLockRegistry.class,
				() -> new StateStoreLockRegistry(client.template, LockOptions.DEFAULT));
		context.registerBean("names", Names.class);
		context.registerBean("shown", Shown.class, () -> {
			ProxyFactory factory = new ProxyFactory(new ShownPress(context));
			factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
			return (Shown) factory.getProxy();
		});
		context.registerBean(Press.class);
		context.refresh();
		return context;
	}

	@Test
	void excludesCallsOfTwoContexts() throws Exception {
		Press there = this.elsewhere.getBean(Press.class);
		CompletableFuture<?>[] calls = new CompletableFuture<?>[4];
		for (int i = 0; i < calls.length; i++) {
			Press mine = (i % 2 == 0) ? this.press : there;
			calls[i] = CompletableFuture.runAsync(() -> {
				for (int call = 0; call < 10; call++) {
					mine.count("counter");
				}
			}, (task) -> new Thread(task).start());
		}
		CompletableFuture.allOf(calls).get();
		assertThat(client.template.getValue("counter", String.class)).contains("40");
	}

	@Test
	void evaluatesName() {
		assertThat(this.press.byName(7).key()).isEqualTo(Key.of("press-7"));
		assertThat(this.press.byPosition("a", 7).key()).isEqualTo(Key.of("a/7"));
		assertThat(this.press.byMethod().key()).isEqualTo(Key.of("byMethod on Press"));
		assertThat(this.press.byPlaceholder(new Order("42")).key()).isEqualTo(Key.of("line-1-42"));
		assertThat(this.press.byBean("7").key()).isEqualTo(Key.of("bean-7"));
		assertThat(this.press.composed().key()).isEqualTo(Key.of("composed"));
		assertThat(this.context.getBean(Shown.class).show("x").key()).isEqualTo(Key.of("shown-x"));
	}

	@Test
	void refusesCallWithoutName() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.press.byPlaceholder(new Order(null)))
			.withMessageContainingAll("Press.byPlaceholder() was not called", "'#order.id' is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.press.byPlaceholder(null))
			.withMessageContaining("'#order.id' failed");
		assertThatIllegalArgumentException().isThrownBy(() -> this.press.byBean("")).withMessage("no id");
		assertThatIllegalArgumentException().isThrownBy(() -> this.press.whole(""))
			.withMessageContaining("it is empty");
	}

	@Test
	void heldLockFailsCallAfterWait() {
		whileHeld("press-7", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.press.impatient(7))
				.withMessageContainingAll("Press.impatient() was not called", "'press-7'", "within PT0.02S",
						"'waitTime'")
				.satisfies((ex) -> assertThat(ex.key()).isEqualTo(Key.of("press-7")));
			assertThat(this.press.calls()).isZero();
			this.press.skipped(7);
			assertThat(this.press.calls()).isZero();
		});
		this.press.skipped(7);
		this.press.impatient(7);
		assertThat(this.press.calls()).isEqualTo(2);
	}

	@Test
	void interruptEndsWait() {
		whileHeld("press-7", () -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.press.byName(7))
				.withMessageContaining("was interrupted")
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	private void whileHeld(String name, Runnable action) {
		FencedLock lock = this.registry.obtain(name);
		lock.lock();
		try {
			action.run();
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void exceptionsOfMethodPassThrough() {
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.press.fail(new TimeoutException("mine")))
			.withMessage("mine");
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.press.fail(new InterruptedException("mine")));
		assertThat(Thread.interrupted()).isFalse();
		assertFree("failing");
	}

	private void assertFree(String name) {
		FencedLock lock = this.registry.obtain(name);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void nestedCallReentersLock() {
		assertThat(this.press.nested(this.press)).isTrue();
		assertFree("press-7");
	}

	@Test
	void callWithoutProxyBypassesLock() {
		whileHeld("press-7", () -> this.press.selfInvoking(7));
		assertThat(this.press.calls()).isEqualTo(1);
	}

	@Test
	void futureHoldsLockUntilItCompletes() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = Objects.requireNonNull(this.press.async(work));
		assertThat(this.registry.obtain("async").tryLock()).isFalse();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.press.async(work));
		work.complete("done");
		assertThat(result.get()).isEqualTo("done");
		assertFree("async");
		assertThatIllegalStateException().isThrownBy(() -> this.press.async(null))
			.withMessageContaining("returned null instead of a future");
		await("the release").untilAsserted(() -> assertFree("async"));
		CompletableFuture<String> failing = CompletableFuture.failedFuture(new IllegalStateException("mine"));
		CompletableFuture<String> failed = Objects.requireNonNull(this.press.async(failing));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(failed::join)
			.withCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void maxHoldEndsLockOfRunningMethod() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(
					() -> this.press.tooLong((tenure) -> await("the end of the hold").until(() -> !tenure.isValid())))
			.withMessageContaining("its maximum hold was over");
	}

	interface Shown {

		Tenure show(String id);

	}

	static class ShownPress implements Shown {

		private final AnnotationConfigApplicationContext context;

		ShownPress(AnnotationConfigApplicationContext context) {
			this.context = context;
		}

		@Override
		@Locked("shown-#{#id}")
		public Tenure show(String id) {
			return this.context.getBean(StateStoreLockRegistry.class).currentTenure();
		}

	}

	record Order(@Nullable String id) {

		public @Nullable String getId() {
			return this.id;
		}

	}

	static class Names {

		public String of(String id) {
			if (id.isEmpty()) {
				throw new IllegalArgumentException("no id");
			}
			return "bean-" + id;
		}

	}

}
