package io.statestore.client.lock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.lock.HeldLock;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AliasFor;

/** Bean with annotated methods. */
class Press {

	private final AtomicInteger calls = new AtomicInteger();

	private final StateStoreLockRegistry registry;

	Press(StateStoreLockRegistry registry) {
		this.registry = registry;
	}

	private HeldLock called() {
		this.calls.incrementAndGet();
		return this.registry.currentLock();
	}

	int calls() {
		return this.calls.get();
	}

	@Locked(value = "lock of #{#key}", waitTime = "1m")
	void count(String key) {
		called().update(key, String.class,
				(value) -> Optional.of(String.valueOf(value.map(Integer::parseInt).orElse(0) + 1)));
	}

	@Locked("press-#{#id}")
	HeldLock byName(int id) {
		return called();
	}

	@Locked("#{#p0}/#{#a1}")
	HeldLock byPosition(String line, int id) {
		return called();
	}

	@Locked("#{#root.methodName} on #{#root.targetClass.simpleName}")
	HeldLock byMethod() {
		return called();
	}

	@Locked("${line}-#{#order.id}")
	HeldLock byPlaceholder(LockedTests.@Nullable Order order) {
		return called();
	}

	@Locked("#{@names.of(#id)}")
	HeldLock byBean(String id) {
		return called();
	}

	@Locked("press-#{#ids}")
	HeldLock byList(List<String> ids) {
		return called();
	}

	@Locked("#{#name}")
	void whole(String name) {
		called();
	}

	@Composed(patience = "20s")
	HeldLock composed() {
		return called();
	}

	@Locked(value = "press-#{#id}", waitTime = "20ms")
	void impatient(int id) {
		this.calls.incrementAndGet();
	}

	@Locked(value = "press-#{#id}", waitTime = "0s", skipIfHeld = true)
	void skipped(int id) {
		called();
	}

	void selfInvoking(int id) {
		impatient(id);
	}

	@Locked("failing")
	void fail(Exception failure) throws Exception {
		throw failure;
	}

	@Locked("press-7")
	boolean nested(Press proxy) {
		HeldLock outer = called();
		return proxy.byName(7).token().equals(outer.token());
	}

	@Locked("object")
	@Nullable Object object(@Nullable Object result) {
		called();
		return result;
	}

	@Locked(value = "too-long", maxHold = "200ms")
	void tooLong(Consumer<HeldLock> section) {
		section.accept(called());
	}

	@Retention(RetentionPolicy.RUNTIME)
	@Locked("composed")
	@interface Composed {

		@AliasFor(annotation = Locked.class, attribute = "waitTime")
		String patience();

	}

}
