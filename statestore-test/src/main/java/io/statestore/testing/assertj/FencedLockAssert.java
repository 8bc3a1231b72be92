package io.statestore.testing.assertj;

import java.util.Optional;

import io.statestore.client.lock.FencedLock;
import org.assertj.core.api.AbstractAssert;

/** Assertions on a lock. Except for {@link #isHeldHere()}, they read the store. */
public final class FencedLockAssert extends AbstractAssert<FencedLockAssert, FencedLock> {

	FencedLockAssert(FencedLock actual) {
		super(actual, FencedLockAssert.class);
	}

	/**
	 * Verifies that no process holds the lock.
	 * @return these assertions
	 * @throws AssertionError if a process holds the lock
	 */
	public FencedLockAssert isFree() {
		holder().ifPresent((holder) -> {
			throw failure("Expecting the lock '%s' to be free, but it is held by%n  '%s'", this.actual.key(), holder);
		});
		return this;
	}

	/**
	 * Verifies that a process holds the lock.
	 * @return these assertions
	 * @throws AssertionError if the lock is free
	 */
	public FencedLockAssert isHeld() {
		requireHolder("any process");
		return this;
	}

	/**
	 * Verifies the holder of the lock.
	 * @param holderName name of the process; for an application, the value of
	 * {@code statestore.lock.holder-name}, by default its client ID
	 * @return these assertions
	 * @throws AssertionError if the lock is free or another process holds it
	 */
	public FencedLockAssert isHeldBy(String holderName) {
		String holder = requireHolder("'" + holderName + "'");
		if (!holder.equals(holderName) && !holder.startsWith(holderName + '/')) {
			throw failure("Expecting the lock '%s' to be held by '%s', but it is held by%n  '%s'", this.actual.key(),
					holderName, holder);
		}
		return this;
	}

	/**
	 * Verifies that a thread of this process holds the lock and has not lost it.
	 * @return these assertions
	 * @throws AssertionError if no thread of this process validly holds the lock
	 */
	public FencedLockAssert isHeldHere() {
		isNotNull();
		if (!this.actual.isValid()) {
			throw failure("Expecting the lock '%s' to be held by a thread of this process, but it is not",
					this.actual.key());
		}
		return this;
	}

	private String requireHolder(String expected) {
		return holder().orElseThrow(
				() -> failure("Expecting the lock '%s' to be held by %s, but it is free", this.actual.key(), expected));
	}

	private Optional<String> holder() {
		isNotNull();
		return this.actual.holder();
	}

}
