package io.statestore.client.lock.annotation;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.statestore.client.InMemoryStateStore;
import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockLostException;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.HeldLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/** Annotated methods whose locks are in an in-memory store, which replies at once. */
@Timeout(120)
class LockedTests {

	private static AnnotationConfigApplicationContext context;

	/** Registry of another process. */
	private static StateStoreLockRegistry registry;

	private static Press press;

	@BeforeAll
	static void open() {
		InMemoryStateStore store = new InMemoryStateStore();
		StateStoreTemplate template = new StateStoreTemplate((command, options) -> {
			synchronized (store) {
				return store.invoke(command, options);
			}
		});
		context = PressContext.create(template, (names) -> {
			names.registerBean("names", Names.class);
			names.registerBean("shown", Shown.class, () -> {
				ProxyFactory factory = new ProxyFactory(new ShownPress(names));
				factory.addAdvice((MethodInterceptor) (invocation) -> invocation.proceed());
				return (Shown) factory.getProxy();
			});
		});
		press = context.getBean(Press.class);
		registry = new StateStoreLockRegistry(template);
	}

	@AfterAll
	static void close() {
		context.close();
		registry.stop();
	}

	@Test
	void evaluatesName() {
		assertThat(press.byName(7).key()).isEqualTo(Key.of("press-7"));
		assertThat(press.byPosition("a", 7).key()).isEqualTo(Key.of("a/7"));
		assertThat(press.byMethod().key()).isEqualTo(Key.of("byMethod on Press"));
		assertThat(press.byPlaceholder(new Order("42")).key()).isEqualTo(Key.of("line-1-42"));
		assertThat(press.byBean("7").key()).isEqualTo(Key.of("bean-7"));
		assertThat(press.composed().key()).isEqualTo(Key.of("composed"));
		assertThat(context.getBean(Shown.class).show("x").key()).isEqualTo(Key.of("shown-x"));
	}

	@Test
	void refusesCallWithoutName() {
		assertThatIllegalArgumentException().isThrownBy(() -> press.byPlaceholder(new Order(null)))
			.withMessageContainingAll("Press.byPlaceholder() was not called", "'#order.id' is null");
		assertThatIllegalArgumentException().isThrownBy(() -> press.byPlaceholder(null))
			.withMessageContaining("'#order.id' failed");
		assertThatIllegalArgumentException().isThrownBy(() -> press.byBean("")).withMessage("no id");
		assertThatIllegalArgumentException().isThrownBy(() -> press.whole(""))
			.withMessageContaining("'#name' is empty");
		assertThatIllegalArgumentException().isThrownBy(() -> press.byPlaceholder(new Order("")))
			.withMessageContainingAll("its lock 'line-1-#{#order.id}' has no name", "'#order.id' is empty");
		assertThatIllegalArgumentException().isThrownBy(() -> press.byList(List.of()))
			.withMessageContaining("'#ids' is empty");
	}

	@Test
	void heldLockFailsCallAfterWait() {
		int calls = press.calls();
		whileHeld("press-7", () -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> press.impatient(7))
				.withMessageContainingAll("Press.impatient() was not called", "'press-7'", "within PT0.02S",
						"'waitTime'")
				.satisfies((ex) -> assertThat(ex.key()).isEqualTo(Key.of("press-7")));
			press.skipped(7);
			assertThat(press.calls()).isEqualTo(calls);
		});
		press.skipped(7);
		press.impatient(7);
		assertThat(press.calls()).isEqualTo(calls + 2);
	}

	@Test
	void interruptEndsWait() {
		whileHeld("press-7", () -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> press.byName(7))
				.withMessageContaining("was interrupted")
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
		});
	}

	private void whileHeld(String name, Runnable action) {
		FencedLock lock = registry.obtain(name);
		lock.lock();
		try {
			action.run();
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void methodExceptionsPassThrough() {
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> press.fail(new TimeoutException("mine")))
			.withMessage("mine");
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> press.fail(new InterruptedException("mine")));
		assertThat(Thread.interrupted()).isFalse();
		assertFree("failing");
	}

	private void assertFree(String name) {
		FencedLock lock = registry.obtain(name);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void nestedCallReentersLock() {
		assertThat(press.nested(press)).isTrue();
		assertFree("press-7");
	}

	@Test
	void callWithoutProxyBypassesLock() {
		int calls = press.calls();
		whileHeld("press-7", () -> press.selfInvoking(7));
		assertThat(press.calls()).isEqualTo(calls + 1);
	}

	@Test
	void refusesAsynchronousResult() {
		assertThatIllegalStateException().isThrownBy(() -> press.object(new CompletableFuture<>()))
			.withMessageContainingAll("Press.object() returned a java.util.concurrent.CompletableFuture",
					"Return the result itself");
		Callable<String> task = () -> "later";
		assertThatIllegalStateException().isThrownBy(() -> press.object(task));
		assertFree("object");
		assertThat(press.object("done")).isEqualTo("done");
		assertThat(press.object(null)).isNull();
	}

	@Test
	void refusesThreadThatMustNotBlock() {
		int calls = press.calls();
		assertThatIllegalStateException()
			.isThrownBy(() -> Mono.fromRunnable(() -> press.byName(7)).subscribeOn(Schedulers.parallel()).block())
			.withMessageContainingAll("was not called", "thread 'parallel-", "boundedElastic()");
		assertThat(press.calls()).isEqualTo(calls);
		Mono.fromRunnable(() -> press.byName(7)).subscribeOn(Schedulers.boundedElastic()).block();
		assertThat(press.calls()).isEqualTo(calls + 1);
	}

	@Test
	void maxHoldEndsLockOfRunningMethod() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> press.tooLong((held) -> await("the end of the hold").until(() -> !held.isValid())))
			.withMessageContaining("its maximum hold was over");
	}

	interface Shown {

		HeldLock show(String id);

	}

	static class ShownPress implements Shown {

		private final AnnotationConfigApplicationContext context;

		ShownPress(AnnotationConfigApplicationContext context) {
			this.context = context;
		}

		@Override
		@Locked("shown-#{#id}")
		public HeldLock show(String id) {
			return this.context.getBean(StateStoreLockRegistry.class).currentLock();
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
